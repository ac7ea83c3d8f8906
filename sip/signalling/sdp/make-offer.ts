import { CODEC_TRAITS } from '../../rtp/audio-codec.ts';
import { OFFERED_CODECS } from './codec-preference.ts';
import { audioLine, type LocalMedia, writeDescription } from './local-description.ts';

/** The payload type that most peers use for telephone-event themselves. */
const DTMF = { payloadType: 101, clockHz: 8_000 };

/** Our offer (RFC 3264 §5): one audio line with our codecs in their order, telephone-event, and keys by our policy. */
export function makeOffer(local: LocalMedia): string {
  const { port, srtp } = local;
  const speech = (local.codecs ?? OFFERED_CODECS).map((codec) => {
    return { codec, payloadType: CODEC_TRAITS[codec].payloadType };
  });
  const protocol = srtp?.policy === 'required' ? 'RTP/SAVP' : 'RTP/AVP';
  const crypto = srtp === undefined || srtp.policy === 'off' ? [] : srtp.keys;
  return writeDescription(local, [audioLine({ port, protocol, speech, dtmf: DTMF, direction: 'sendrecv', crypto })]);
}
