import { describe, expect, it } from 'vitest';
import { spokenLanguage } from '../../../engine/languages/spoken-language.ts';

describe('the spoken language', () => {
  it.each([
    ['en', 'I would like to know when you are open'],
    ['de', 'ich möchte wissen wann Sie geöffnet haben'],
    ['es', 'yo quiero saber cuándo puede usted venir aquí'],
    ['fr', 'je voudrais savoir si vous êtes ouvert le lundi'],
    ['it', 'vorrei sapere se il medico è di turno con lei'],
    ['nl', 'ik wil weten of jullie op maandag open zijn'],
    ['pt', 'eu queria saber se você pode vir com a senhora'],
  ])('is heard whatever was expected: %s', (language, text) => {
    const others = ['en', 'de', 'es', 'fr', 'it', 'nl', 'pt'];
    expect(others.map((expected) => spokenLanguage(text, expected))).toEqual(others.map(() => language));
  });

  it('is the expected one in a few words, in names, and without enough evidence', () => {
    expect(spokenLanguage('ich möchte Pizza', 'en')).toBe('en');
    expect(spokenLanguage('Anna Schneider Hamburg Altona', 'es')).toBe('es');
    expect(spokenLanguage('the Rolling Stones concert ticket', 'de')).toBe('de');
    expect(spokenLanguage('', 'nl')).toBe('nl');
  });

  it('is heard in fewer words that are all function words of a language', () => {
    expect(spokenLanguage('ich möchte das', 'en')).toBe('de');
    expect(spokenLanguage('ich möchte', 'en')).toBe('en');
  });

  it('is that of the transcriber if it is known', () => {
    expect(spokenLanguage('ich möchte wissen wann Sie öffnen', 'en', 'fr-CA')).toBe('fr');
    expect(spokenLanguage('ich möchte wissen wann Sie öffnen', 'en', 'xx')).toBe('de');
    expect(spokenLanguage('I would like to know when you open', 'en-GB', null)).toBe('en-GB');
  });
});
