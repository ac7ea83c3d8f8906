import { decimal } from './decimal.ts';

const SECOND_MS = 1_000;

/** `75_400` ms becomes `1:15`, an hour `1:00:00`. */
export function clockTime(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / SECOND_MS));
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':');
}

/** `840` becomes `840 ms`, `1_240` becomes `1.24 s`, in German `1,24 s`. */
export function shortTime(ms: number, language: string): string {
  return ms < SECOND_MS ? `${Math.round(ms)} ms` : `${decimal(ms / SECOND_MS, 2, language)} s`;
}

const MOMENT = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', second: '2-digit' } as const;

/** Of the variants of a language the one of the browser: `en-GB` for `en`. */
export function variantOf(language: string): string {
  return navigator.languages.find((tag) => tag.startsWith(language)) ?? language;
}

/** Day and time for people, in their time zone and their variant of the language. */
export function localTime(iso: string, language: string): string {
  return new Date(iso).toLocaleString(variantOf(language), MOMENT);
}
