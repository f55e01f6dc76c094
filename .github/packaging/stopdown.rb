# The formula for Homebrew.
class Stopdown < Formula
  desc "Chess engine that plays like a human of any rating"
  homepage "https://github.com/@REPOSITORY@"
  url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/stopdown-@VERSION@.tar.gz"
  sha256 "@SHA256:stopdown-@VERSION@.tar.gz@"
  license "GPL-3.0-or-later"

  depends_on "rust" => :build

  def install
    system "cargo", "install", *std_cargo_args
    system bin/"stopdown", "man", buildpath/"man"
    man1.install Dir["man/*.1"]
    generate_completions_from_executable(bin/"stopdown", "completions", shells: [:bash, :zsh, :fish])
    doc.install "README.md", "engine.toml"
  end

  test do
    assert_match "bestmove", pipe_output(bin/"stopdown", "position startpos\ngo depth 4\n")
  end
end
