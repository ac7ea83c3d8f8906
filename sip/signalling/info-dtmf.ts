import type { SrfHandler } from './srf-client.ts';

/** A DTMF digit of a SIP INFO. */
export interface InfoDtmf {
  /** `0`–`9`, `*`, `#`, `A`–`D`. */
  readonly digit: string;
  readonly durationMs: number;
}

/** The duration if the peer sends none. */
const DEFAULT_DURATION_MS = 100;
/** Longer durations are errors, or in units of another clock. */
const DURATION_MS_MAX = 10_000;
const UNSUPPORTED_MEDIA_TYPE = 415;
const ACCEPTED = 'application/dtmf-relay, application/dtmf';
const DTMF_DIGITS = '0123456789*#ABCD';

/**
 * Parses the DTMF digit of an INFO's body (RFC 2976). Two forms are in use, neither standardised:
 * `application/dtmf-relay` holds lines `Signal=5` and `Duration=160` (ms), `application/dtmf` the digit alone. Some
 * peers write the number of the event, `10` for `*` and `11` for `#`. Null for other bodies. Never throws.
 */
export function readInfoDtmf(contentType: string, body: string): InfoDtmf | null {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase();
  if (type === 'application/dtmf-relay') {
    const digit = digitOf(/^[ \t]*Signal[ \t]*=[ \t]*(\S+)[ \t]*$/im.exec(body)?.[1] ?? '');
    const duration = Number(/^[ \t]*Duration[ \t]*=[ \t]*(\d{1,6})[ \t]*$/im.exec(body)?.[1] ?? DEFAULT_DURATION_MS);
    return digit === null ? null : { digit, durationMs: Math.min(duration, DURATION_MS_MAX) };
  }
  if (type !== 'application/dtmf') return null;
  const digit = digitOf(body.trim());
  return digit === null ? null : { digit, durationMs: DEFAULT_DURATION_MS };
}

/** Answers INFOs: a digit is reported, an empty body is a keep-alive, any other body is refused. */
export function answerInfo(onDigit: (dtmf: InfoDtmf) => void): SrfHandler {
  return (req, res) => {
    const dtmf = readInfoDtmf(req.get('Content-Type') ?? '', req.body);
    if (dtmf === null && req.body.trim() !== '') {
      res.send(UNSUPPORTED_MEDIA_TYPE, undefined, { headers: { Accept: ACCEPTED } });
      return;
    }
    res.send(200, undefined, {});
    if (dtmf !== null) onDigit(dtmf);
  };
}

function digitOf(signal: string): string | null {
  if (/^1[0-5]$/.test(signal)) return DTMF_DIGITS[Number(signal)] ?? null;
  const digit = signal.toUpperCase();
  return digit.length === 1 && DTMF_DIGITS.includes(digit) ? digit : null;
}
