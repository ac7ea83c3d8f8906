import { decimal } from '../format/decimal.ts';
import { shortTime } from '../format/time.ts';
import type { Call, PostCallAnswer, RtpDirection } from '../generated/client.ts';
import type { Messages } from '../i18n/en.ts';
import { useLanguage } from '../i18n/language.tsx';
import { lossPercent } from './network-levels.ts';

/** Response times, interruptions and network of a call, and its post-call answers. */
export function QualityPanel({ call }: { readonly call: Call }) {
  const { language, messages: text } = useLanguage();
  const { metrics } = call;
  const facts: readonly (readonly [string, string | null])[] = [
    [text.call.responseMedian, spread(metrics.response_ms, language)],
    [text.call.interruptions, metrics.interruptions === undefined ? null : String(metrics.interruptions)],
    [
      text.call.falseInterruptions,
      metrics.false_interruptions === undefined ? null : String(metrics.false_interruptions),
    ],
    [text.call.networkIn, metrics.media === undefined ? null : quality(metrics.media.inbound, text.call, language)],
    [text.call.networkOut, metrics.media === undefined ? null : quality(metrics.media.outbound, text.call, language)],
    [text.call.endDetail, typeof metrics.end_detail === 'string' ? metrics.end_detail : null],
  ];
  const shown = facts.filter(([, value]) => value !== null);
  return (
    <>
      {shown.length > 0 && (
        <section className="card stack" aria-label={text.call.facts}>
          <h2>{text.call.facts}</h2>
          <Pairs pairs={shown} />
        </section>
      )}
      {call.post_call_answers.length > 0 && (
        <section className="card stack" aria-label={text.call.answers}>
          <h2>{text.call.answers}</h2>
          <Pairs pairs={call.post_call_answers.map((answer) => [answer.question.name, answerText(answer)])} />
        </section>
      )}
    </>
  );
}

function Pairs({ pairs }: { readonly pairs: readonly (readonly [string, string | null])[] }) {
  return (
    <dl className="pairs">
      {pairs.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function spread(times: Call['metrics']['response_ms'], language: string): string | null {
  if (times?.median === null || times?.median === undefined) return null;
  const p95 = times.p95 === null || times.p95 === undefined ? '' : ` / ${shortTime(times.p95, language)}`;
  return `${shortTime(times.median, language)}${p95}`;
}

function quality(direction: RtpDirection, text: Messages['call'], language: string): string | null {
  const { jitter_ms, mos } = direction;
  const loss = lossPercent(direction);
  const parts = [
    ...(loss === null ? [] : [`${text.loss} ${decimal(loss, 1, language)} %`]),
    ...(jitter_ms === null ? [] : [`${text.jitter} ${decimal(jitter_ms.mean, 1, language)} ms`]),
    ...(mos === null ? [] : [`MOS ${decimal(mos, 2, language)}`]),
  ];
  return parts.length === 0 ? null : parts.join(' · ');
}

function answerText({ answer_text, answer_number, answer_boolean, selected_options }: PostCallAnswer): string {
  const single = answer_text ?? answer_number ?? answer_boolean;
  return single === null
    ? selected_options.map((option) => Object.values(option).join(' ')).join(', ')
    : String(single);
}
