// Where a drawing is looked at: moved by dragging, scaled about a point.

const SMALLEST = 0.2;
const LARGEST = 3;
/** Below this scale blocks show their names and loads only, in large letters. */
const DETAILED = 0.66;
/** Below this scale these can't be read either, so a large graph is cut instead. */
const READABLE = 0.42;
const DRAG_PIXELS = 4;

export class Camera {
  x = $state(0);
  y = $state(0);
  scale = $state(1);
  /** Whether the pointer moved since it went down, so that it's no click. */
  dragged = false;
  readonly far = $derived(this.scale < DETAILED);
  private from: { x: number; y: number } | undefined;

  /** Shows a drawing whole, or its beginning where it would be too small to read. */
  fit(drawingWidth: number, drawingHeight: number, width: number, height: number): void {
    const whole = Math.min(width / drawingWidth, height / drawingHeight);
    this.scale = Math.min(1.15, Math.max(READABLE, whole));
    this.x = Math.max(0, (width - drawingWidth * this.scale) / 2);
    this.y = Math.max(0, (height - drawingHeight * this.scale) / 2);
  }

  move(dx: number, dy: number): void {
    this.x += dx;
    this.y += dy;
  }

  zoom(factor: number, aboutX: number, aboutY: number): void {
    const scale = Math.min(LARGEST, Math.max(SMALLEST, this.scale * factor));
    const ratio = scale / this.scale;
    this.x = aboutX - (aboutX - this.x) * ratio;
    this.y = aboutY - (aboutY - this.y) * ratio;
    this.scale = scale;
  }

  wheel(event: WheelEvent): void {
    event.preventDefault();
    const box = (event.currentTarget as Element).getBoundingClientRect();
    this.zoom(Math.exp(-event.deltaY * 0.0015), event.clientX - box.left, event.clientY - box.top);
  }

  down(event: PointerEvent): void {
    this.from = { x: event.clientX, y: event.clientY };
    this.dragged = false;
  }

  drag(event: PointerEvent): void {
    if (!this.from || event.buttons === 0) return;
    const [dx, dy] = [event.clientX - this.from.x, event.clientY - this.from.y];
    if (!this.dragged && Math.hypot(dx, dy) < DRAG_PIXELS) return;
    this.dragged = true;
    this.from = { x: event.clientX, y: event.clientY };
    this.move(dx, dy);
  }

  up(): void {
    this.from = undefined;
  }
}
