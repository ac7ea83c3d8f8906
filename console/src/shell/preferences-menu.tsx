import { useState } from 'react';
import { isLanguage, LANGUAGES, useLanguage } from '../i18n/language.tsx';
import { applyTheme, storedTheme, THEMES } from './theme.ts';

/** Language and light or dark. */
export function PreferencesMenu() {
  const { language, messages: text, choose } = useLanguage();
  const [theme, setTheme] = useState(storedTheme);
  return (
    <div className="preferences">
      <select
        aria-label={text.shell.theme}
        value={theme}
        onChange={({ target }) => {
          const chosen = THEMES.find((name) => name === target.value) ?? 'system';
          applyTheme(chosen);
          setTheme(chosen);
        }}
      >
        {THEMES.map((name) => (
          <option key={name} value={name}>
            {text.shell.themes[name]}
          </option>
        ))}
      </select>
      <select
        aria-label={text.shell.language}
        value={language}
        onChange={({ target }) => isLanguage(target.value) && choose(target.value)}
      >
        {Object.entries(LANGUAGES).map(([tag, name]) => (
          <option key={tag} value={tag}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}
