/** The peer's preferences for the Opus that it receives (RFC 7587 §6.1). */
export interface OpusParameters {
  /** It makes use of forward error correction. */
  readonly fec: boolean;
  /** It would have pauses without packets. */
  readonly dtx: boolean;
  /** The highest rate that it plays, in Hz. */
  readonly maxPlaybackHz: number;
  /** The maximum average bits per second; null where not given. */
  readonly maxBitrate: number | null;
}

/** The defaults where a peer gives none. */
export const DEFAULT_OPUS_PARAMETERS: OpusParameters = {
  fec: false,
  dtx: false,
  maxPlaybackHz: 48_000,
  maxBitrate: null,
};

/** Parses the `fmtp` of an Opus payload type. Malformed and unknown parameters are ignored. */
export function readOpusParameters(config: string): OpusParameters {
  const given = new Map<string, string>();
  for (const parameter of config.split(';')) {
    const [name = '', value = ''] = parameter.split('=', 2);
    given.set(name.trim().toLowerCase(), value.trim());
  }
  const maxBitrate = numberIn(given.get('maxaveragebitrate'), 6000, 510_000);
  return {
    fec: given.get('useinbandfec') === '1',
    dtx: given.get('usedtx') === '1',
    maxPlaybackHz: numberIn(given.get('maxplaybackrate'), 8000, 48_000) ?? DEFAULT_OPUS_PARAMETERS.maxPlaybackHz,
    maxBitrate,
  };
}

function numberIn(text: string | undefined, least: number, most: number): number | null {
  const value = text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : null;
}
