import type { LanguagePack } from '../languages/language-pack.ts';
import { languagePack } from '../languages/language-packs.ts';
import { plainWord } from './number-grammar.ts';
import type { EntitySpan, TextRange } from './redaction-entity.ts';

interface Token {
  readonly plain: string;
  readonly from: number;
  readonly to: number;
  /** It follows white space. */
  readonly isSpaced: boolean;
}

const TOKEN = /[\p{L}\p{M}\p{N}]+|[^\s]/gu;
const WRITTEN = /[\p{L}\p{N}][\p{L}\p{N}._%+-]*@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}/gu;
/** Words between the @ and the end of the domain. */
const HOST_TOKENS_MAX = 24;
/** Words before the @ that may belong to the address, and those of them in a row without punctuation between them. */
const LOCAL_TOKENS_MAX = 30;
const PLAIN_WORDS_MAX = 3;
/** Words after the @ of an address whose domain is unfinished. */
const OPEN_HOST_TOKENS_MAX = 6;
/** Letters of a spelled local part. */
const SPELLED_MIN = 3;
const AT_WORDS = new Set(
  'at arroba arobase arobas arrobase chiocciola chiocciolina apenstaartje apestaartje apenstaart klammeraffe affenschwanz'.split(
    ' ',
  ),
);
const DOTS = new Set('. dot point period punkt punto punt ponto'.split(' '));
/** Other punctuation of a local part, as words and signs. */
const MARKS = new Set(
  `- _ + underscore dash hyphen minus tiret trait guion trattino streepje hifen traco bindestrich unterstrich barra bajo
  basso underline sublinhado liggend plus`.split(/\s+/),
);
const UNDERSCORES = new Set('_ underscore underline sublinhado liggend unterstrich bajo basso'.split(' '));
const TOP_DOMAINS = new Set(
  `com net org info biz edu gov eu io co uk us ie fr de at ch be nl es it pt br mx ar ca au nz lu li me app dev online shop
  cat lat cloud tech ai`.split(/\s+/),
);
const MAIL_HOSTS = new Set(
  'gmail googlemail hotmail outlook yahoo icloud gmx protonmail proton aol libero wanadoo laposte sapo uol'.split(' '),
);
/** Words before an address that are no part of it, besides the function words of the language. */
const LEADS = new Set(
  `mail email emails e-mail adresse address addresse direccion correo electronico indirizzo posta elettronica adres endereco
  is ist es est lautet isto eletronico courriel adresa mailadres mailadresse its it write to me us send schreiben schreib
  an sie mir escribame scriva scrivimi ecrivez naar stuur mande para envie mandatelo a e und and et y en o bei in look shop
  buy order orders available visit sign meet arrive check online website site find found sold listed work see back later
  van my mijn meu mio mon mi meine yes ja oui si sim ok okay so also well that than the der die das le la el lo il os as
  sure klar genau right that's thats c'est su`.split(/\s+/),
);

/** E-mail addresses, as they are written and as they are dictated: «anna point martin arobase gmail point com». */
export function emailAddresses(text: string, language: string): readonly EntitySpan[] {
  const written = [...text.matchAll(WRITTEN)].map(({ 0: address, index }) => spanOf(index, index + address.length));
  const tokens = tokensOf(text);
  const spoken = tokens.flatMap((_, at) => {
    const isWritten = written.some(({ from, to }) => from <= (tokens[at]?.from ?? 0) && (tokens[at]?.to ?? 0) <= to);
    return isWritten ? [] : spokenAddress(tokens, at, languagePack(language));
  });
  return [...written, ...spoken];
}

/**
 * The begin of an address at the end of a text whose domain may follow: «maria dot planted», «j o h n», «maria dot planted at example»;
 * null without one. A begin of plain words («maria») is none.
 *
 * @param after the end of the last entity of the text
 */
export function begunAddress(text: string, after: number, language: string): TextRange | null {
  const pack = languagePack(language);
  const tokens = tokensOf(text).filter(({ from }) => from >= after);
  while (/^[^\p{L}\p{N}]$/u.test(tokens.at(-1)?.plain ?? '')) tokens.pop();
  const sign = tokens.findLastIndex(({ plain }, at) => at >= tokens.length - OPEN_HOST_TOKENS_MAX && isAt(plain, pack));
  if (sign > 0 && endOfHost(tokens, sign + 1) === 0) {
    const address = evidentAddress(tokens, sign, pack);
    if (address !== null) return address;
  }
  const entryFrom = text.lastIndexOf('\n') + 1;
  const ofEntry = tokens.filter(({ from }) => from >= entryFrom);
  return evidentAddress(ofEntry, ofEntry.length, pack);
}

/** From the local part before the index `end` to the end of the tokens. */
function evidentAddress(tokens: readonly Token[], end: number, pack: LanguagePack): TextRange | null {
  const start = startOfLocalPart(tokens, end, pack);
  const [first, last] = [tokens[start], tokens.at(-1)];
  if (first === undefined || last === undefined || !isEvident(tokens, start, end)) return null;
  return { from: first.from, to: last.to };
}

/** Words of a local part that are joined by a mark, or spelled; a domain («example dot com») is none. */
function isEvident(tokens: readonly Token[], start: number, end: number): boolean {
  const local = tokens.slice(start, end);
  const isDomain = local.some(({ plain }, at) => at > 0 && TOP_DOMAINS.has(plain) && isDot(tokens, start + at - 1));
  const isJoined = local.some((_, at) => at > 0 && at < local.length - 1 && isEvidentMark(tokens, start + at));
  const letters = local.filter(({ plain }) => /^\p{L}$/u.test(plain)).length;
  return !isDomain && (isJoined || letters >= SPELLED_MIN);
}

/** Hyphens join everyday words, too, and full stops abbreviations and numbers. */
function isEvidentMark(tokens: readonly Token[], at: number): boolean {
  const plain = tokens[at]?.plain ?? '';
  if (plain !== '.') return DOTS.has(plain) || UNDERSCORES.has(plain);
  return isDot(tokens, at) && /^\p{L}{3}/u.test(tokens[at - 1]?.plain ?? '');
}

function spokenAddress(tokens: readonly Token[], at: number, pack: LanguagePack): readonly EntitySpan[] {
  const sign = tokens[at];
  if (sign === undefined || !isAt(sign.plain, pack)) return [];
  const end = endOfHost(tokens, at + 1);
  const start = startOfLocalPart(tokens, at, pack);
  const [first, last] = [tokens[start], tokens[end - 1]];
  return start === at || end === 0 || first === undefined || last === undefined ? [] : [spanOf(first.from, last.to)];
}

function isAt(plain: string, { dictation }: LanguagePack): boolean {
  return plain === '@' || AT_WORDS.has(plain) || dictation.atSign.has(plain);
}

/** The index after the host; 0 if no host follows. */
function endOfHost(tokens: readonly Token[], from: number): number {
  const host = tokens.slice(from, from + HOST_TOKENS_MAX);
  if (host[0]?.plain === 'www') return 0;
  let end = 0;
  for (const [index, { plain }] of host.entries()) {
    if (/^[!?;:,]$/.test(plain) && end > 0) break;
    if (index > 0 && isDot(host, index - 1) && TOP_DOMAINS.has(plain)) end = from + index + 1;
    else if (end > 0 && !isDot(host, index)) break;
  }
  return end === 0 && MAIL_HOSTS.has(host[0]?.plain ?? '') ? from + 1 : end;
}

/** A full stop ends a sentence if the next word stands apart from it. */
function isDot(tokens: readonly Token[], at: number): boolean {
  const plain = tokens[at]?.plain ?? '';
  return DOTS.has(plain) && (plain !== '.' || tokens[at + 1]?.isSpaced === false);
}

/** The index of the first token of the local part; `at` if nothing before the @ can be one. */
function startOfLocalPart(tokens: readonly Token[], at: number, pack: LanguagePack): number {
  let start = at;
  let plainWords = 0;
  for (let index = at - 1; index >= Math.max(0, at - LOCAL_TOKENS_MAX); index--) {
    const plain = tokens[index]?.plain ?? '';
    if (isDot(tokens, index) || MARKS.has(plain)) {
      plainWords = 0;
      continue;
    }
    const isSingle = /^(?:\p{L}|\d+)$/u.test(plain);
    const isJoined = tokens[index + 1]?.isSpaced === false || isMark(tokens, index + 1);
    // The word that a mark joins is a part of the address, whatever it is.
    if (!/^[\p{L}\p{M}\p{N}]+$/u.test(plain) || (!isJoined && !isSingle && isLead(plain, pack))) break;
    if (isSingle && !isJoined && isSentenceLetter(tokens, index, pack)) break;
    if (!isSingle && ++plainWords > PLAIN_WORDS_MAX) break;
    start = index;
  }
  return start;
}

/** «i», «a», «e», «y», «o» before a word of several letters are words. */
function isSentenceLetter(tokens: readonly Token[], index: number, { dictation }: LanguagePack): boolean {
  const { plain = '' } = tokens[index] ?? {};
  const following = tokens[index + 1]?.plain ?? '';
  return (
    (dictation.ambiguous.has(plain) || /^[aeioyuà]$/.test(plain)) && following.length > 1 && !AT_WORDS.has(following)
  );
}

function isMark(tokens: readonly Token[], at: number): boolean {
  return isDot(tokens, at) || MARKS.has(tokens[at]?.plain ?? '');
}

function isLead(plain: string, { clauses }: LanguagePack): boolean {
  const { auxiliaries, mostlyOpen, open, openUnmarked, pronouns } = clauses;
  return LEADS.has(plain) || [open, mostlyOpen, openUnmarked, pronouns, auxiliaries].some((list) => list.has(plain));
}

/** Without the punctuation at the end of a line: a transcriber ends the first half of an address like a sentence. */
function tokensOf(text: string): Token[] {
  return [...text.matchAll(TOKEN)].flatMap(({ 0: word, index }) => {
    const to = index + word.length;
    if (/^[.,…]$/.test(word) && text[to] === '\n') return [];
    return [{ plain: plainWord(word), from: index, to, isSpaced: index === 0 || /\s/.test(text[index - 1] ?? '') }];
  });
}

function spanOf(from: number, to: number): EntitySpan {
  return { entity: 'email', from, to };
}
