// The pixels under the names: thousands of bars a frame are faster written than drawn one by one.

/** A color, or a square pattern that repeats from the top left: its pixels, row by row. */
export interface PixelInk {
  size: number;
  pixels: Uint32Array;
}

/** Up to this many pixels a loop is faster than a call. */
const SHORT = 24;

export class Raster {
  /** Row by row. */
  readonly pixels: Uint32Array<ArrayBuffer>;

  /** Sizes in pixels of the screen; `ratio` of them are one CSS px. */
  constructor(
    private readonly wide: number,
    private readonly high: number,
    private readonly ratio: number,
  ) {
    this.pixels = new Uint32Array(wide * high);
  }

  /** Whether it fits a canvas of this size. */
  fits(wide: number, high: number, ratio: number): boolean {
    return this.wide === wide && this.high === high && this.ratio === ratio;
  }

  clear(ink: PixelInk): void {
    this.pixels.fill(ink.pixels[0] ?? 0);
  }

  /** A rectangle in CSS px, on whole pixels, of at least one where any of it is in sight. */
  fill(left: number, top: number, width: number, height: number, ink: PixelInk): void {
    const x0 = Math.max(Math.round(left * this.ratio), 0);
    const x1 = Math.min(Math.max(Math.round((left + width) * this.ratio), x0 + 1), this.wide);
    const y0 = Math.max(Math.round(top * this.ratio), 0);
    const y1 = Math.min(Math.max(Math.round((top + height) * this.ratio), y0 + 1), this.high);
    if (left + width < 0 || top + height <= 0 || x0 >= x1) return;
    if (ink.size > 1) this.fillPattern(x0, x1, y0, y1, ink);
    else this.fillPlain(x0, x1, y0, y1, ink.pixels[0] ?? 0);
  }

  /** Puts everything onto the canvas at once. */
  commit(context: CanvasRenderingContext2D): void {
    context.putImageData(new ImageData(new Uint8ClampedArray(this.pixels.buffer), this.wide, this.high), 0, 0);
  }

  private fillPlain(x0: number, x1: number, y0: number, y1: number, color: number): void {
    const { pixels, wide } = this;
    for (let y = y0; y < y1; y += 1) {
      const row = y * wide;
      if (x1 - x0 > SHORT) pixels.fill(color, row + x0, row + x1);
      else for (let x = row + x0; x < row + x1; x += 1) pixels[x] = color;
    }
  }

  private fillPattern(x0: number, x1: number, y0: number, y1: number, { size, pixels }: PixelInk): void {
    for (let y = y0; y < y1; y += 1) {
      const [row, from] = [y * this.wide, (y % size) * size];
      for (let x = x0; x < x1; x += 1) this.pixels[row + x] = pixels[from + (x % size)] as number;
    }
  }
}
