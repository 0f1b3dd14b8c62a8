// Canvases that follow their size, and drawing in animation frames only.

/** Calls `draw` in the next animation frame, once however often it's asked. */
export function onFrame(draw: () => void): { request(): void; cancel(): void } {
  let pending = 0;
  return {
    request() {
      pending ||= requestAnimationFrame(() => {
        pending = 0;
        draw();
      });
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
