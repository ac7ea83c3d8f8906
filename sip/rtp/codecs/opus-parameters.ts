/** The peer's preferences for the Opus that it receives (RFC 7587 §6.1). */
export interface OpusParameters {
  /** The peer uses forward error correction. */
  readonly fec: boolean;
  /** The peer prefers pauses without packets (discontinuous transmission). */
  readonly dtx: boolean;
  /** The highest sample rate that the peer plays, in Hz. */
  readonly maxPlaybackHz: number;
  /** The maximum average bits per second; null if not given. */
  readonly maxBitrate: number | null;
}

/** The defaults for parameters that the peer does not specify. */
export const DEFAULT_OPUS_PARAMETERS: OpusParameters = {
  fec: false,
  dtx: false,
  maxPlaybackHz: 48_000,
  maxBitrate: null,
};

/** Parses the `fmtp` of an Opus payload type. Malformed and unknown parameters are ignored. */
export function readOpusParameters(config: string): OpusParameters {
  const parameters = new Map<string, string>();
  for (const parameter of config.split(';')) {
    const [name = '', value = ''] = parameter.split('=', 2);
    parameters.set(name.trim().toLowerCase(), value.trim());
  }
  const maxBitrate = numberIn(parameters.get('maxaveragebitrate'), 6000, 510_000);
  return {
    fec: parameters.get('useinbandfec') === '1',
    dtx: parameters.get('usedtx') === '1',
    maxPlaybackHz: numberIn(parameters.get('maxplaybackrate'), 8000, 48_000) ?? DEFAULT_OPUS_PARAMETERS.maxPlaybackHz,
    maxBitrate,
  };
}

function numberIn(text: string | undefined, least: number, most: number): number | null {
  const value = text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : null;
}
