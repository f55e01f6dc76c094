"use strict";
// Moves planned during the opponent's turn. Any move that the piece could make on an empty board can be planned.
const Premove = (() => {
  const squares = [..."abcdefgh"].flatMap((file) => [..."12345678"].map((rank) => file + rank));

  // Whether a piece, given its letter in FEN, could move by this number of files and ranks on an empty board.
  function reaches(letter, from, across, up) {
    const [wide, high] = [Math.abs(across), Math.abs(up)];
    const isStraight = !wide || !high;
    const isDiagonal = wide === high;
    const isWhite = letter < "a";
    switch (letter.toLowerCase()) {
      case "p": {
        const ahead = isWhite ? up : -up;
        const isAtHome = from[1] === (isWhite ? "2" : "7");
        return (ahead === 1 && wide <= 1) || (ahead === 2 && !wide && isAtHome);
      }
      case "n": return wide * high === 2;
      case "b": return isDiagonal;
      case "r": return isStraight;
      case "q": return isStraight || isDiagonal;
      default: {
        // The player can castle by moving the king two squares or onto its rook.
        const isCastling = !high && (wide === 2 || across === 3 || across === -4) && from === (isWhite ? "e1" : "e8");
        return Math.max(wide, high) === 1 || isCastling;
      }
    }
  }

  // The squares where a planned move of this piece can end.
  const targets = (letter, from) => squares.filter((to) => to !== from && reaches(letter, from,
    to.charCodeAt(0) - from.charCodeAt(0), to.charCodeAt(1) - from.charCodeAt(1)));

  return { targets };
})();
