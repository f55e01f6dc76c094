"use strict";
// The browser's storage: `tab` keeps values until the tab is closed, and `browser` after that. If the browser forbids
// storage, or has no room left, nothing is kept and every value is null.
const Memory = (() => {
  // The browser may refuse access to the storage itself, so `find` looks for it every time.
  const kept = (find) => ({
    get: (key) => { try { return find().getItem(key); } catch { return null; } },
    set: (key, value) => { try { find().setItem(key, value); } catch { /* The page works without it. */ } },
    remove: (key) => { try { find().removeItem(key); } catch { /* It was not kept. */ } },
  });
  return { tab: kept(() => sessionStorage), browser: kept(() => localStorage) };
})();
