export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const STORAGE_NAME = 'trunkline.theme';

export function storedTheme(): Theme {
  const stored = localStorage.getItem(STORAGE_NAME);
  return THEMES.find((theme) => theme === stored) ?? 'system';
}

/** `styles/tokens.css` reads the attribute. */
export function applyTheme(theme: Theme): void {
  localStorage.setItem(STORAGE_NAME, theme);
  document.documentElement.dataset.theme = theme;
}
