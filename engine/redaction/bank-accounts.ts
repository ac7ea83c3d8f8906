import { remainderOf } from './check-digits.ts';
import { type CharacterRange, digitsOf } from './digit-windows.ts';
import type { SpokenCharacter } from './spoken-characters.ts';

/** Length of an IBAN by country. SWIFT, IBAN Registry, https://www.swift.com/standards/data-standards/iban-international-bank-account-number */
const LENGTHS = new Map(
  `AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18
  FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20
  LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31
  SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30`
    .split(/\s+/)
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))] as const),
);

export function bankAccounts(run: readonly SpokenCharacter[]): readonly CharacterRange[] {
  const found: CharacterRange[] = [];
  const text = digitsOf(run);
  for (let at = 0; at < text.length; at++) {
    const length = ibanLength(text.slice(at));
    if (length === undefined || !isIban(text.slice(at, at + length))) continue;
    found.push({ from: at, to: at + length });
    at += length - 1;
  }
  return found;
}

/** The length of the IBANs that begin with these characters; undefined: none does. */
export function ibanLength(begin: string): number | undefined {
  return LENGTHS.get(begin.slice(0, 2));
}

/** ISO 13616-1: the check digits make the rearranged number 1 modulo 97. */
export function isIban(text: string): boolean {
  if (text.length !== ibanLength(text) || !/^[A-Z]{2}\d{2}[A-Z\d]+$/.test(text)) return false;
  const rearranged = text.slice(4) + text.slice(0, 4);
  return (
    remainderOf(
      rearranged.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55)),
      97,
    ) === 1
  );
}
