import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import { clockTime, localTime, shortTime } from '../format/time.ts';
import type { Call } from '../generated/client.ts';
import { useLanguage } from '../i18n/language.tsx';
import { Badge } from '../ui/badge.tsx';
import { durationMs, partyName, statusTone } from './call-facts.ts';

const ROW_HEIGHT_PX = 38;
/** Rows drawn above and below the visible ones. */
const OVERSCAN = 12;
const COLUMNS = 8;

/** Draws only the rows in view, so that hundreds of running calls cost no more than a screen of them. */
export function CallTable({ calls }: { readonly calls: readonly Call[] }) {
  const { messages: text } = useLanguage();
  const scrolled = useRef<HTMLElement>(null);
  const virtualizer = useVirtualizer({
    count: calls.length,
    getScrollElement: () => scrolled.current,
    estimateSize: () => ROW_HEIGHT_PX,
    overscan: OVERSCAN,
    initialRect: { width: 0, height: 800 },
  });
  const rows = virtualizer.getVirtualItems();
  const above = rows[0]?.start ?? 0;
  const below = virtualizer.getTotalSize() - (rows.at(-1)?.end ?? 0);
  return (
    <section className="table-scroll" aria-label={text.calls.count(calls.length)} ref={scrolled}>
      <table aria-rowcount={calls.length + 1}>
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
          <Spacer height={above} />
          {rows.map(({ index }) => {
            const call = calls[index];
            return call === undefined ? null : <CallRow key={call.id} call={call} rowIndex={index + 2} />;
          })}
          <Spacer height={below} />
        </tbody>
      </table>
    </section>
  );
}

/** Takes the place of the rows that are not drawn. */
function Spacer({ height }: { readonly height: number }) {
  return height <= 0 ? null : (
    <tr>
      <td colSpan={COLUMNS} style={{ height, padding: 0 }} />
    </tr>
  );
}

function CallRow({ call, rowIndex }: { readonly call: Call; readonly rowIndex: number }) {
  const { language, messages: text } = useLanguage();
  const median = call.metrics.response_ms?.median ?? null;
  return (
    <tr aria-rowindex={rowIndex}>
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
      <td className="number wide-only">{clockTime(durationMs(call, Date.now()))}</td>
      <td className="number wide-only">{median === null ? '' : shortTime(median)}</td>
      <td className="mono wide-only">{call.end_reason ?? ''}</td>
    </tr>
  );
}
