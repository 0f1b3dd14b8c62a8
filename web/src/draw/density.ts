// How often points fell on each cell of a grid, with older points fading.

export class Density {
  readonly cells: Float32Array;

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.cells = new Float32Array(width * height);
  }

  /** Lets what is there fade to `share` of itself. */
  fade(share: number): void {
    for (let k = 0; k < this.cells.length; k++) this.cells[k]! *= share;
  }

  /** Counts a point at `x`, `y`, each 0 to 1 from the left and the bottom; points outside are left out. */
  add(x: number, y: number, weight = 1): void {
    const [column, row] = [Math.floor(x * this.width), Math.floor((1 - y) * this.height)];
    if (column >= 0 && column < this.width && row >= 0 && row < this.height) this.cells[row * this.width + column]! += weight;
  }

  /** Paints the cells; the square root of a count, relative to the largest, chooses the colour, from the level `least` on. Empty cells stay
   *  clear. */
  paint(image: ImageData, colors: Uint8Array, least: number): void {
    let most = 0;
    for (const cell of this.cells) most = Math.max(most, cell);
    for (let k = 0; k < this.cells.length; k++) {
      const share = most > 0 ? Math.sqrt(this.cells[k]! / most) : 0;
      const level = Math.round(least + (255 - least) * share) * 4;
      image.data[k * 4] = colors[level]!;
      image.data[k * 4 + 1] = colors[level + 1]!;
      image.data[k * 4 + 2] = colors[level + 2]!;
      image.data[k * 4 + 3] = share < 0.06 ? 0 : Math.min(255, 170 + 400 * share);
    }
  }
}
