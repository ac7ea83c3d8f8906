import { maskedRuns } from './number-mask.ts';

/** Replaces a secret, and a SIP user part that is not a number. */
const MASK = '***';
/** Shorter secrets are ignored: they would mask words of every line. */
const SECRET_LENGTH_MIN = 8;

/** Characters of a text that are logged, so that a hostile peer cannot make masking and writing expensive. */
const TEXT_LENGTH_MAX = 16_384;

/** Fields whose value is always a secret. */
const SECRET_FIELD = /^(?:.*(?:password|secret|passphrase|api[-_]?key|access[-_]?token)|authorization|cookie|token)$/i;
/** Fields whose bare JSON number is a phone number, not a count. */
const NUMBER_FIELD = /(?:^|_)(?:number|phone|caller|callee|destination)$|(?:Number|Phone)$/;

/** `+` and 7 to 15 digits, also grouped as people write them. */
const INTERNATIONAL = /\+\d(?:[ ().-]{0,2}\d){6,14}/g;
/** 7 to 15 digits on their own: not a piece of a word, a UUID, an address or a decimal. */
const NATIONAL = /(?<![\w.-])\d{7,15}(?![\w-]|\.\d)/g;
/** The user, and its password, of a SIP URI (RFC 3261 section 19.1.1). */
const SIP_USER = /\b(sips?:)([^@\s<>"]{1,256})@/gi;
const CREDENTIALS: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, `$1 ${MASK}`],
  [/\bwhsec_[\w+/=-]+/g, `whsec_${MASK}`],
  [/\bsk-[\w-]{8,}/g, `sk-${MASK}`],
  [/(:\/\/)[^/\s:@]+:[^/\s@]+@/g, `$1${MASK}@`],
  [/\b((?:access_token|token|api[-_]?key|x-api-key|password|secret|signature)\s*[=:]\s*)[^\s&"',;]+/gi, `$1${MASK}`],
];

/** Each text that a pattern above changes has one of these. One search for all of them costs a tenth of the patterns. */
const SUSPICIOUS = /[@+]|\d{7}|:\/\/|bearer|basic|whsec_|sk-|token|api[-_]?key|password|secret|signature/i;
/** Names of fields whose mask is remembered: the catalogue has some hundred. Names beyond it are masked each time. */
const NAMES_MAX = 1_000;

/** Masks secrets and phone numbers in a log record. */
export type Masker = (value: unknown) => unknown;

/** A field's name, masked, and what it says about the value. */
interface MaskedName {
  readonly text: string;
  readonly isSecret: boolean;
  readonly isNumber: boolean;
}

/** `secrets` are masked anywhere in a text; those under eight characters are ignored. */
export function createMasker(secrets: readonly string[]): Masker {
  // The longest first: the mask of a shorter one would leave the rest of a secret that contains it.
  const known = secrets.filter((secret) => secret.length >= SECRET_LENGTH_MIN).toSorted((a, b) => b.length - a.length);
  const names = new Map<string, MaskedName>();
  const maskText = (text: string): string => {
    let withoutSecrets = shortened(text);
    // The search alone costs a sixth of `replaceAll`.
    for (const secret of known)
      if (withoutSecrets.includes(secret)) withoutSecrets = withoutSecrets.replaceAll(secret, MASK);
    if (!SUSPICIOUS.test(withoutSecrets)) return withoutSecrets;
    return maskNumbers(CREDENTIALS.reduce((masked, [pattern, mask]) => masked.replace(pattern, mask), withoutSecrets));
  };
  const maskName = (name: string): MaskedName => {
    const remembered = names.get(name);
    if (remembered !== undefined) return remembered;
    const masked = { text: maskText(name), isSecret: SECRET_FIELD.test(name), isNumber: NUMBER_FIELD.test(name) };
    if (names.size < NAMES_MAX) names.set(name, masked);
    return masked;
  };
  const maskValue = (value: unknown): unknown => {
    if (typeof value === 'string') return maskText(value);
    if (Array.isArray(value)) return value.map(maskValue);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, field]) => maskField(maskName(name), field)));
  };
  const maskField = ({ isNumber, isSecret, text }: MaskedName, field: unknown): [string, unknown] => {
    if (isSecret && field !== null) return [text, MASK];
    return [text, typeof field === 'number' && isNumber ? maskNumbers(String(field)) : maskValue(field)];
  };
  return maskValue;
}

/** A number that the limit cuts in two would not be recognized, so its first part is removed too. */
function shortened(text: string): string {
  return text.length <= TEXT_LENGTH_MAX ? text : `${text.slice(0, TEXT_LENGTH_MAX).replace(/[+\d ().-]{1,32}$/, '')}…`;
}

function maskNumbers(text: string): string {
  return text
    .replace(SIP_USER, (_, scheme: string, user: string) => `${scheme}${maskUser(user)}@`)
    .replace(INTERNATIONAL, (number) => maskedRuns(number))
    .replace(NATIONAL, (number) => maskedRuns(number));
}

function maskUser(user: string): string {
  const [name = ''] = user.split(/[:;]/);
  return /^\+?\d{7,15}$/.test(name) ? maskedRuns(name) : MASK;
}
