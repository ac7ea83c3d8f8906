import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAgentNames } from '../api/agent-list.ts';
import { localTime } from '../format/time.ts';
import type { Call } from '../generated/client.ts';
import { useLanguage } from '../i18n/language.tsx';
import { type TableColumn, VirtualTable } from '../ui/virtual-table.tsx';

type ListedCall = Pick<Call, 'id' | 'agent_id' | 'created_at' | 'start_time'>;

interface VirtualCallTableProps<Listed extends ListedCall> {
  readonly calls: readonly Listed[];
  /** The columns after the time of the call. */
  readonly columns: readonly TableColumn[];
  /** The cells of these columns. `agent`: the name of the call's agent; empty without one. */
  readonly cells: (call: Listed, agent: string) => ReactNode;
}

/** A table of many calls. The first column is the time of the call, with a link to its page. */
export function VirtualCallTable<Listed extends ListedCall>({ calls, columns, cells }: VirtualCallTableProps<Listed>) {
  const { language, messages: text } = useLanguage();
  const names = useAgentNames();
  return (
    <VirtualTable
      label={text.calls.count(calls.length)}
      columns={[{ name: text.calls.when }, ...columns]}
      count={calls.length}
      row={(index, rowIndex) => {
        const call = calls[index];
        if (call === undefined) return null;
        return (
          <tr key={call.id} aria-rowindex={rowIndex}>
            <td>
              <Link to="/calls/$callId" params={{ callId: call.id }}>
                {localTime(call.start_time ?? call.created_at, language)}
              </Link>
            </td>
            {cells(call, names.get(call.agent_id ?? '') ?? '')}
          </tr>
        );
      }}
    />
  );
}
