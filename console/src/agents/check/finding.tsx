import type { AgentWarning } from '../../generated/client.ts';
import { Notice } from '../../ui/notice.tsx';

/** A finding of the graph check or the schema about a field. */
export function Finding({ finding }: { readonly finding: AgentWarning }) {
  return (
    <Notice tone="bad">
      <span>
        <span className="mono">{finding.field}</span> {finding.message}
      </span>
    </Notice>
  );
}
