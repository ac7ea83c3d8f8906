import { Link } from '@tanstack/react-router';
import { clockTime, localTime, shortTime } from '../format/time.ts';
import type { Call } from '../generated/client.ts';
import { useLanguage } from '../i18n/language.tsx';
import { Badge } from '../ui/badge.tsx';
import { partyName, statusTone } from './call-facts.ts';

export function CallTable({ calls }: { readonly calls: readonly Call[] }) {
  const { language, messages: text } = useLanguage();
  return (
    <section className="table-scroll" aria-label={text.calls.title}>
      <table>
        <thead>
          <tr>
            <th scope="col">{text.calls.when}</th>
            <th scope="col" className="wide-only">
              {text.calls.direction}
            </th>
            <th scope="col">{text.calls.from}</th>
            <th scope="col" className="wide-only">
              {text.calls.to}
            </th>
            <th scope="col">{text.calls.status}</th>
            <th scope="col" className="number wide-only">
              {text.calls.duration}
            </th>
            <th scope="col" className="number wide-only">
              {text.calls.response}
            </th>
            <th scope="col" className="wide-only">
              {text.calls.endReason}
            </th>
          </tr>
        </thead>
        <tbody>
          {calls.map((call) => (
            <tr key={call.id}>
              <td>
                <Link to="/calls/$callId" params={{ callId: call.id }}>
                  {localTime(call.start_time ?? call.created_at, language)}
                </Link>
              </td>
              <td className="wide-only">{text.calls[call.direction]}</td>
              <td className="mono">{partyName(call, call.from_number, text)}</td>
              <td className="mono wide-only">{partyName(call, call.to_number, text)}</td>
              <td>
                <Badge tone={statusTone(call.status)}>{text.calls.statuses[call.status]}</Badge>
              </td>
              <td className="number wide-only">{clockTime(call.duration_seconds * 1_000)}</td>
              <td className="number wide-only">{shownMedian(call)}</td>
              <td className="mono wide-only">{call.end_reason ?? ''}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function shownMedian({ metrics }: Call): string {
  const median = metrics.response_ms?.median ?? null;
  return median === null ? '' : shortTime(median);
}
