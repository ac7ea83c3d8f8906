import type { AgentWarning } from '../../generated/client.ts';
import { Notice } from '../../ui/notice.tsx';

/** What the graph check or the schema says about a field. */
export function Finding({ finding }: { readonly finding: AgentWarning }) {
  return (
    <Notice tone="bad">
      <span>
        <span className="mono">{finding.field}</span> {finding.message}
      </span>
    </Notice>
  );
}
