import type { MediaStatistics } from '../../../sip/media/media-service.ts';

/** The media of two processes: the sums of what is counted, and of the rest the worse value. */
export function summedMedia(one: MediaStatistics, other: MediaStatistics): MediaStatistics {
  return {
    sessions: one.sessions + other.sessions,
    packetsReceived: one.packetsReceived + other.packetsReceived,
    packetsSent: one.packetsSent + other.packetsSent,
    packetsDropped: one.packetsDropped + other.packetsDropped,
    latenessP99Ms: Math.max(one.latenessP99Ms, other.latenessP99Ms),
    busyShare: Math.max(one.busyShare, other.busyShare),
  };
}
