// Bytes and bits as hex text.

/** Bits, the first the most significant, as hex digits in groups of four. Bits beyond the last whole digit are left out. */
export function bitsToHex(bits: Uint8Array): string {
  let text = '';
  for (let at = 0; at + 4 <= bits.length; at += 4) {
    if (at > 0 && at % 16 === 0) text += ' ';
    text += (((bits[at]! & 1) << 3) | ((bits[at + 1]! & 1) << 2) | ((bits[at + 2]! & 1) << 1) | (bits[at + 3]! & 1)).toString(16);
  }
  return text;
}

export interface HexLine {
  offset: string;
  bytes: string;
  text: string;
}

/** Hex digits as lines of sixteen bytes with offsets and the printable characters. */
export function hexDump(hex: string): HexLine[] {
  const bytes = (hex.match(/[0-9a-f]{2}/gi) ?? []).map((pair) => parseInt(pair, 16));
  const lines: HexLine[] = [];
  for (let at = 0; at < bytes.length; at += 16) {
    const part = bytes.slice(at, at + 16);
    lines.push({
      offset: at.toString(16).padStart(4, '0'),
      bytes: part.map((byte) => byte.toString(16).padStart(2, '0')).join(' '),
      text: part.map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '·')).join(''),
    });
  }
  return lines;
}
