// Canvases that follow their size, and drawing in animation frames only.

/** Eyes see no more than about 30 pictures a second of noise, so every second frame of most screens is enough. */
const LEAST_GAP_MS = 25;
/** Frames further apart than this are late: fewer views are drawn in each from then on. */
const LATE_MS = 29;
/** Frames closer than this leave room for more. */
const EARLY_MS = 21;
/** However late frames are, each view is drawn once in about this time. */
const LONGEST_GAP_MS = 100;

/** Frames end when nothing was drawn for so long; a longer gap says nothing of how long frames take. */
const REST_AFTER_MS = 500;

interface Drawer {
  draw(): void;
  /** When it was drawn last, and how many draws of all views there were before. */
  last: number;
  turn: number;
}

/**
 * What waits to be drawn, what was drawn longest ago first. Where all of it takes longer than a frame has, each frame draws only as much as
 * it has time for: views are drawn less often then, and the page stays as quick as it is with a few.
 */
export class Frames {
  private readonly waiting = new Set<Drawer>();
  private pending = 0;
  private before = -Infinity;
  private drew = -Infinity;
  private turns = 0;
  /** How many are drawn in a frame. */
  private most = Infinity;

  constructor(
    private readonly ask: (frame: (now: number) => void) => number = (frame) => requestAnimationFrame(frame),
    private readonly leave: (pending: number) => void = (pending) => cancelAnimationFrame(pending),
  ) {}

  request(drawer: Drawer): void {
    this.waiting.add(drawer);
    this.pending ||= this.ask(this.frame);
  }

  cancel(drawer: Drawer): void {
    this.waiting.delete(drawer);
    if (this.waiting.size > 0 || this.pending === 0) return;
    this.leave(this.pending);
    this.rest();
  }

  private rest(): void {
    this.pending = 0;
    this.before = -Infinity;
  }

  private readonly frame = (now: number): void => {
    const gap = now - this.before;
    this.before = now;
    let drawn = 0;
    if (gap < REST_AFTER_MS) this.most = this.next(gap);
    for (const drawer of [...this.waiting].sort((a, b) => a.turn - b.turn)) {
      if (now - drawer.last < LEAST_GAP_MS) continue;
      if (drawn >= Math.floor(this.most)) break;
      drawn++;
      this.waiting.delete(drawer);
      [drawer.last, drawer.turn] = [now, this.turns++];
      drawer.draw();
    }
    if (this.most === Infinity && drawn > 0) this.most = Math.max(drawn, 2);
    if (drawn > 0) this.drew = now;
    // A frame in which nothing is drawn costs nothing, and says how far apart frames are.
    if (this.waiting.size > 0 || now - this.drew < REST_AFTER_MS) this.pending = this.ask(this.frame);
    else this.rest();
  };

  /** How many are drawn in this frame, so long after the one before. */
  private next(gap: number): number {
    const { size } = this.waiting;
    if (gap > LATE_MS) return Math.max(Math.ceil((size * gap) / LONGEST_GAP_MS), Math.min(this.most, size) * 0.85);
    if (gap < EARLY_MS) return Math.min(this.most + 0.1, Math.max(2, size));
    return this.most;
  }
}

const frames = new Frames();

/** Calls `draw` in an animation frame to come, once however often it's asked, and not sooner than 25 ms after the last time. */
export function onFrame(draw: () => void, queue = frames): { request(): void; cancel(): void } {
  const drawer = { draw, last: -Infinity, turn: -1 };
  return {
    request: () => queue.request(drawer),
    cancel: () => queue.cancel(drawer),
  };
}

/** Calls `resized` with the size in CSS pixels, now and whenever it changes. Returns what ends it. */
export function followSize(element: Element, resized: (width: number, height: number) => void): () => void {
  const observer = new ResizeObserver(() => {
    const { clientWidth, clientHeight } = element;
    if (clientWidth > 0 && clientHeight > 0) resized(clientWidth, clientHeight);
  });
  observer.observe(element);
  return () => observer.disconnect();
}

/** Gives a canvas the pixels of its size on this screen, and returns them for each CSS pixel. */
export function sizeCanvas(canvas: HTMLCanvasElement, width: number, height: number): number {
  const ratio = Math.min(2, devicePixelRatio || 1);
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
  return ratio;
}

/** Offers bytes to the viewer as a file. */
export function download(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
