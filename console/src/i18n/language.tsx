import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { en, type Messages } from './en.ts';

/** Each language by its tag, with its own name. */
export const LANGUAGES = { en: 'English', de: 'Deutsch', fr: 'Français', es: 'Español' } as const;
export type Language = keyof typeof LANGUAGES;

const STORAGE_NAME = 'trunkline.language';

/** English is part of the first load, the others are fetched. */
const CATALOGUES: Readonly<Record<Language, () => Promise<Messages>>> = {
  en: async () => en,
  de: async () => (await import('./de.ts')).de,
  fr: async () => (await import('./fr.ts')).fr,
  es: async () => (await import('./es.ts')).es,
};

interface LanguageState {
  readonly language: Language;
  readonly messages: Messages;
  readonly choose: (language: Language) => void;
}

const LanguageContext = createContext<LanguageState>({ language: 'en', messages: en, choose: () => undefined });

export function isLanguage(tag: string | null): tag is Language {
  return tag !== null && Object.hasOwn(LANGUAGES, tag);
}

function preferredLanguage(): Language {
  const wanted = [localStorage.getItem(STORAGE_NAME), ...navigator.languages.map((tag) => tag.slice(0, 2))];
  return wanted.find(isLanguage) ?? 'en';
}

export function LanguageProvider({ children }: { readonly children: ReactNode }) {
  const [language, setLanguage] = useState(preferredLanguage);
  const [loaded, setLoaded] = useState<{ readonly language: Language; readonly messages: Messages } | null>(null);
  useEffect(() => {
    let isCurrent = true;
    void CATALOGUES[language]().then((messages) => {
      if (isCurrent) setLoaded({ language, messages });
    });
    return () => {
      isCurrent = false;
    };
  }, [language]);
  const state = useMemo(() => {
    if (loaded === null) return null;
    document.documentElement.lang = loaded.language;
    const choose = (chosen: Language) => {
      localStorage.setItem(STORAGE_NAME, chosen);
      setLanguage(chosen);
    };
    return { ...loaded, choose };
  }, [loaded]);
  return state === null ? null : <LanguageContext value={state}>{children}</LanguageContext>;
}

export function useLanguage(): LanguageState {
  return useContext(LanguageContext);
}

/** The texts of the chosen language. */
export function useText(): Messages {
  return useLanguage().messages;
}
