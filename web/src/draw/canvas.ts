// Canvases that follow their size, and drawing in animation frames only.

/** Eyes see no more than about 30 pictures a second of noise, so every second frame of most screens is enough. */
const LEAST_GAP_MS = 25;

/** Calls `draw` in the next animation frame, once however often it's asked, and not sooner than 25 ms after the last time. */
export function onFrame(draw: () => void): { request(): void; cancel(): void } {
  let pending = 0;
  let last = -Infinity;
  const frame = (now: number) => {
    if (now - last < LEAST_GAP_MS) {
      pending = requestAnimationFrame(frame);
      return;
    }
    pending = 0;
    last = now;
    draw();
  };
  return {
    request() {
      pending ||= requestAnimationFrame(frame);
    },
    cancel() {
      cancelAnimationFrame(pending);
      pending = 0;
    },
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
