/* Rust programs take random numbers from this library, which versions of Wine before 9 lack. */
#include <stddef.h>

unsigned char __stdcall SystemFunction036(void *bytes, unsigned long count);

__declspec(dllexport) int __stdcall ProcessPrng(unsigned char *bytes, size_t count) {
    return SystemFunction036(bytes, (unsigned long)count);
}
