// A waterfall in WebGL2: rows go into a ring of texture lines, one quad shows them.
import { largest } from './thin';
import { paletteBytes, type PaletteName } from '../palette';

const VERTEX = `#version 300 es
out vec2 place;
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  place = corner;
  gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0);
}`;

const FRAGMENT = `#version 300 es
precision highp float;
uniform sampler2D rows;
uniform sampler2D palette;
uniform vec2 range;
uniform float newest;
uniform float filled;
uniform float shown;
uniform vec3 empty;
in vec2 place;
out vec4 color;
void main() {
  ivec2 size = textureSize(rows, 0);
  float age = (1.0 - place.y) * shown;
  if (age >= filled) { color = vec4(empty, 1.0); return; }
  int row = int(mod(newest - floor(age) + float(size.y), float(size.y)));
  int column = min(int(place.x * float(size.x)), size.x - 1);
  float level = texelFetch(rows, ivec2(column, row), 0).r;
  color = texture(palette, vec2((level * 255.0 - range.x) / (range.y - range.x), 0.5));
}`;

export const HISTORY_ROWS = 1024;

export class WaterfallCanvas {
  private readonly gl: WebGL2RenderingContext;
  private readonly uniforms: Record<string, WebGLUniformLocation | null>;
  private readonly rowTexture: WebGLTexture;
  private readonly paletteTexture: WebGLTexture;
  /** All bins of the rows: for the picture, and to fill the texture anew. */
  private history = new Uint8Array(0);
  private bins = 0;
  /** Width of the texture: one for each pixel, or for each bin where there are fewer. */
  private columns = 1;
  private newest = -1;
  private filled = 0;
  /** How many of the newest rows are not in the texture: they go there when they are drawn. */
  private fresh = 0;
  private colors = new Uint8Array(0);

  /** Throws where the browser has no WebGL2. */
  constructor(
    private readonly canvas: HTMLCanvasElement,
    palette: PaletteName,
  ) {
    const gl = canvas.getContext('webgl2', { antialias: false, alpha: false });
    if (!gl) throw new Error('the waterfall needs WebGL2, which this browser does not give');
    this.gl = gl;
    const program = link(gl);
    gl.useProgram(program);
    const names = ['rows', 'palette', 'range', 'newest', 'filled', 'shown', 'empty'];
    this.uniforms = Object.fromEntries(names.map((name) => [name, gl.getUniformLocation(program, name)]));
    gl.uniform1i(this.uniforms['rows']!, 0);
    gl.uniform1i(this.uniforms['palette']!, 1);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    this.rowTexture = texture(gl, gl.TEXTURE0, gl.NEAREST);
    this.paletteTexture = texture(gl, gl.TEXTURE1, gl.LINEAR);
    this.setPalette(palette);
  }

  setPalette(name: PaletteName): void {
    const { gl } = this;
    this.colors = paletteBytes(name);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, this.paletteTexture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, this.colors);
  }

  /** Takes one row, from the lowest to the highest frequency. Another number of bins begins anew. */
  push(row: Uint8Array): void {
    if (row.length !== this.bins) this.restart(row.length);
    this.newest = (this.newest + 1) % HISTORY_ROWS;
    this.filled = Math.min(HISTORY_ROWS, this.filled + 1);
    this.history.set(row, this.newest * this.bins);
    this.fresh = Math.min(HISTORY_ROWS, this.fresh + 1);
  }

  /** Forgets all rows. */
  restart(bins = this.bins): void {
    this.bins = bins;
    this.newest = -1;
    this.filled = 0;
    this.history = new Uint8Array(bins * HISTORY_ROWS);
    this.refit();
  }

  /** Fills the texture anew, after the canvas got another width. */
  refit(): void {
    const { gl } = this;
    if (this.bins === 0) return;
    this.columns = Math.max(1, Math.min(this.bins, this.canvas.width));
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.rowTexture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.R8, this.columns, HISTORY_ROWS, 0, gl.RED, gl.UNSIGNED_BYTE, null);
    this.fresh = this.filled;
  }

  private uploadFresh(): void {
    for (let age = 0; age < this.fresh; age++) this.upload((this.newest - age + HISTORY_ROWS) % HISTORY_ROWS);
    this.fresh = 0;
  }

  /** A pixel that covers several bins gets the strongest, so that no carrier of one bin is lost. */
  private upload(row: number): void {
    const { gl } = this;
    const columns = largest(this.history.subarray(row * this.bins, (row + 1) * this.bins), this.columns);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.rowTexture);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, row, this.columns, 1, gl.RED, gl.UNSIGNED_BYTE, columns);
  }

  /**
   * Shows the latest `rows`, the newest at the top. Levels from `low` to `high` span the palette. What has no row yet has
   * the colour `empty`, as red, green and blue from 0 to 1.
   */
  draw(low: number, high: number, rows: number, empty: [number, number, number]): void {
    const { gl, uniforms } = this;
    this.uploadFresh();
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.uniform2f(uniforms['range']!, low, Math.max(high, low + 1));
    gl.uniform1f(uniforms['newest']!, this.newest);
    gl.uniform1f(uniforms['filled']!, this.filled);
    gl.uniform1f(uniforms['shown']!, Math.min(rows, HISTORY_ROWS));
    gl.uniform3f(uniforms['empty']!, ...empty);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }

  /** The whole history as a picture, the newest row at the top, or nothing before the first row. */
  picture(low: number, high: number): ImageData | undefined {
    if (this.filled === 0) return undefined;
    const image = new ImageData(this.bins, this.filled);
    for (let age = 0; age < this.filled; age++) {
      const row = (this.newest - age + HISTORY_ROWS) % HISTORY_ROWS;
      for (let bin = 0; bin < this.bins; bin++) {
        const share = (this.history[row * this.bins + bin]! - low) / Math.max(1, high - low);
        const level = Math.round(255 * Math.min(1, Math.max(0, share)));
        image.data.set(this.colors.subarray(level * 4, level * 4 + 4), (age * this.bins + bin) * 4);
      }
    }
    return image;
  }

  destroy(): void {
    this.gl.getExtension('WEBGL_lose_context')?.loseContext();
  }
}

function link(gl: WebGL2RenderingContext): WebGLProgram {
  const program = gl.createProgram();
  for (const [kind, source] of [
    [gl.VERTEX_SHADER, VERTEX],
    [gl.FRAGMENT_SHADER, FRAGMENT],
  ] as const) {
    const shader = gl.createShader(kind)!;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) {
    throw new Error(`the waterfall's shader does not link: ${gl.getProgramInfoLog(program)}`);
  }
  return program;
}

function texture(gl: WebGL2RenderingContext, unit: number, filter: number): WebGLTexture {
  const made = gl.createTexture();
  gl.activeTexture(unit);
  gl.bindTexture(gl.TEXTURE_2D, made);
  for (const [name, value] of [
    [gl.TEXTURE_MIN_FILTER, filter],
    [gl.TEXTURE_MAG_FILTER, filter],
    [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE],
    [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE],
  ] as const) {
    gl.texParameteri(gl.TEXTURE_2D, name, value);
  }
  return made;
}
