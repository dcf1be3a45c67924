import { computed, effect, signal } from '@preact/signals';

type Theme = 'system' | 'light' | 'dark';

const THEMES: readonly Theme[] = ['system', 'light', 'dark'];
const KEPT = 'ralph-theme';

const system = matchMedia('(prefers-color-scheme: dark)');
const systemIsDark = signal(system.matches);

/** The reader's choice. */
const theme = signal<Theme>(THEMES.find((one) => one === localStorage.getItem(KEPT)) ?? 'system');

/** The shade in use: drawings that cannot follow CSS are redrawn when it changes. */
export const shade = computed<'light' | 'dark'>(() => {
  if (theme.value !== 'system') return theme.value;
  return systemIsDark.value ? 'dark' : 'light';
});

/** Follows choice and system from here on. */
export function followTheme(): void {
  system.addEventListener('change', () => {
    systemIsDark.value = system.matches;
  });
  effect(() => {
    document.documentElement.dataset['theme'] = shade.value;
    localStorage.setItem(KEPT, theme.value);
  });
}

/** Switches to the other shade; when that is the system's, the system is followed again. */
export function toggleTheme(): void {
  const wanted = shade.value === 'dark' ? 'light' : 'dark';
  theme.value = wanted === (systemIsDark.value ? 'dark' : 'light') ? 'system' : wanted;
}
