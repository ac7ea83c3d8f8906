import type { MediaEvent } from '../../engine/ports/media.ts';
import type { WebMediaLeg } from './media-plane.ts';
import { PlaneLeg, type PlaneLegOptions } from './plane-leg.ts';
import { LINEAR16_16K } from './uplink.ts';
import { WebLineEnd } from './web-line-end.ts';
import type { Wire } from './worker-message.ts';

/** A web call's media as the main thread holds it. */
export class WebPlaneLeg extends PlaneLeg implements WebMediaLeg {
  readonly line: WebLineEnd;
  private begun = false;

  constructor(options: PlaneLegOptions) {
    super(options, LINEAR16_16K);
    this.line = new WebLineEnd(options.key);
  }

  begin(): void {
    this.begun = true;
    this.order({ type: 'begin', ...this.key });
  }

  tell(event: Extract<MediaEvent, { type: 'dtmf' | 'timeout' | 'failed' }>): void {
    this.take(event);
  }

  override clear(utterance: number): void {
    super.clear(utterance);
    this.line.clear(utterance);
  }

  override collect(): void {
    super.collect();
    this.line.collect();
  }

  /** What stood on the line when it was cleared has not been heard. */
  override take(event: MediaEvent): void {
    if (event.type !== 'cleared') super.take(event);
    else super.take({ ...event, playedMs: Math.max(0, event.playedMs - this.line.withheldMs(event.utterance)) });
  }

  protected override get wire(): Wire {
    return { type: 'web', memory: this.line.memory.shared };
  }

  protected override beginAgain(): void {
    if (this.begun) this.order({ type: 'begin', ...this.key });
  }
}
