// Colour palettes for levels. Stops are equally spaced from the lowest to the highest level.
// Viridis, magma, inferno and cividis are those of matplotlib, which gave them to the public domain (CC0).

const STOPS = {
  viridis: '440154 482878 3e4989 31688e 26828e 1f9e89 35b779 6ece58 b5de2b fde725',
  magma: '000004 180f3d 440f76 721f81 9e2f7f cd4071 f1605d fd9668 feca8d fcfdbf',
  inferno: '000004 1b0c41 4a0c6b 781c6d a52c60 cf4446 ed6925 fb9b06 f7d13d fcffa4',
  cividis: '00224e 123570 3b496c 575d6d 707173 8a8678 a59c74 c3b369 e1cc55 fee838',
  grey: '000000 ffffff',
};

export type PaletteName = keyof typeof STOPS;
export const PALETTES = Object.keys(STOPS) as PaletteName[];

/** 256 colours as RGBA bytes. */
export function paletteBytes(name: PaletteName): Uint8Array<ArrayBuffer> {
  const stops = STOPS[name].split(' ').map((hex) => [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16)));
  const bytes = new Uint8Array(256 * 4);
  for (let level = 0; level < 256; level++) {
    const place = (level / 255) * (stops.length - 1);
    const below = Math.min(Math.floor(place), stops.length - 2);
    for (let channel = 0; channel < 3; channel++) {
      const [a, b] = [stops[below]![channel]!, stops[below + 1]![channel]!];
      bytes[level * 4 + channel] = Math.round(a + (b - a) * (place - below));
    }
    bytes[level * 4 + 3] = 255;
  }
  return bytes;
}
