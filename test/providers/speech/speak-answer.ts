/** How one flushed text is spoken. */
export interface SpeakAnswer {
  /** From `Flush`, or from the end of the previous text, to the first audio. Default 0. */
  readonly firstAudioMs?: number;
  /** Default: the tone, as long as the text takes to speak. */
  readonly audio?: Uint8Array;
  /** Size of each binary message. */
  readonly chunkBytes?: number;
  /** Between two binary messages. Deepgram sends much faster than real time. */
  readonly chunkMs?: number;
  /** Number of binary messages after which `breakBy` replaces the rest. Default 0. */
  readonly breakAfterChunks?: number;
  readonly breakBy?: SpeakBreak;
  /** Sends `Flushed` twice. */
  readonly doubled?: boolean;
}

export type SpeakBreak = 'close' | 'reset' | 'half_frame' | 'stall' | 'malformed';

/** `nth` counts the texts of the socket from 0. */
export type SpeakScript = (text: string, nth: number) => SpeakAnswer;

/** About the speed of human speech. */
export const EMULATED_MS_PER_CHARACTER = 60;
