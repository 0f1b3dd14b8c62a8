// Light or dark: what the system says, unless the viewer chose.

type Choice = 'auto' | 'light' | 'dark';
const KEY = 'superhet.theme';
const system = matchMedia('(prefers-color-scheme: dark)');

class Theme {
  choice = $state<Choice>((localStorage.getItem(KEY) as Choice | null) ?? 'auto');
  private systemDark = $state(system.matches);
  readonly dark = $derived(this.choice === 'auto' ? this.systemDark : this.choice === 'dark');

  constructor() {
    system.addEventListener('change', () => (this.systemDark = system.matches));
  }

  toggle(): void {
    this.choice = this.dark ? 'light' : 'dark';
    localStorage.setItem(KEY, this.choice);
  }
}

export const theme = new Theme();

/** The value of a colour of the style sheet, for canvases. */
export function color(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** Red, green and blue, 0 to 1, of a colour such as `#0c1012`. */
export function components(hex: string): [number, number, number] {
  const part = (at: number) => parseInt(hex.slice(at, at + 2), 16) / 255;
  return [part(1), part(3), part(5)];
}
