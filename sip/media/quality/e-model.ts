/**
 * The E-model of ITU-T Recommendation G.107 (06/2015): estimates a listener's opinion from loss and delay. All other
 * inputs have their defaults: R0 − Is = 93.2 (§7.7), no echo, no advantage (A = 0). The result is a planning value, not
 * a measurement of the audio.
 */
const DEFAULT_RATING = 93.2;
/**
 * G.711 with packet loss concealment under random loss: Ie and Bpl (ITU-T G.113 Appendix I). Used for every codec, so
 * wideband codecs are rated too low.
 */
const EQUIPMENT_IMPAIRMENT = 0;
const LOSS_ROBUSTNESS = 25.1;
/** BurstR of independent losses. */
const BURST_RATIO = 1;
/** Shorter delays are not noticed (§7.4, Idd). */
const UNHEARD_DELAY_MS = 100;

export interface NetworkConditions {
  /** 0–1. */
  readonly lossShare: number;
  /** From mouth to ear, one way. */
  readonly delayMs: number;
}

/** The transmission rating factor R, 0–100. */
export function transmissionRating({ lossShare, delayMs }: NetworkConditions): number {
  const loss = Math.min(Math.max(lossShare, 0), 1) * 100;
  const lossImpairment =
    EQUIPMENT_IMPAIRMENT + ((95 - EQUIPMENT_IMPAIRMENT) * loss) / (loss / BURST_RATIO + LOSS_ROBUSTNESS);
  return Math.min(Math.max(DEFAULT_RATING - delayImpairment(delayMs) - lossImpairment, 0), 100);
}

/** The mean opinion score, 1–4.5, of a rating (G.107 Annex B). */
export function meanOpinionScore(rating: number): number {
  if (rating <= 0) return 1;
  if (rating >= 100) return 4.5;
  // For ratings below 6.5 the cubic falls below 1, the minimum score.
  return Math.max(1, 1 + 0.035 * rating + rating * (rating - 60) * (100 - rating) * 7e-6);
}

/** Idd of §7.4: the impairment by delay without echo. */
function delayImpairment(delayMs: number): number {
  if (delayMs <= UNHEARD_DELAY_MS) return 0;
  const x = Math.log2(delayMs / UNHEARD_DELAY_MS);
  return 25 * ((1 + x ** 6) ** (1 / 6) - 3 * (1 + (x / 3) ** 6) ** (1 / 6) + 2);
}
