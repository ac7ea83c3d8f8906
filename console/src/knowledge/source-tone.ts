import type { SourceStatus } from '../generated/client.ts';
import type { Tone } from '../ui/badge.tsx';

export const SOURCE_TONES: Readonly<Record<SourceStatus, Tone>> = { ingesting: 'info', ready: 'good', failed: 'bad' };
