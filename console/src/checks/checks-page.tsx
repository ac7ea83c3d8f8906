import { useMutation } from '@tanstack/react-query';
import { bodyOf } from '../api/connection.ts';
import { type Finding, runDoctor } from '../generated/client.ts';
import { useText } from '../i18n/language.tsx';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Notice } from '../ui/notice.tsx';

const TONES: Readonly<Record<Finding['verdict'], Tone>> = { ok: 'good', warning: 'warn', fault: 'bad' };

/** The checks of `trunkline doctor`. They begin only when the user says so: they send requests to providers and trunks. */
export function ChecksPage() {
  const text = useText();
  const run = useMutation({ mutationFn: () => bodyOf(runDoctor()) });
  return (
    <section className="page">
      <h1>{text.checks.title}</h1>
      <p className="quiet">{text.checks.explanation}</p>
      <div className="row">
        <Button tone="main" disabled={run.isPending} onClick={() => run.mutate()}>
          {run.isPending ? text.checks.running : text.checks.run}
        </Button>
      </div>
      <ErrorNotice error={run.error} />
      {run.data !== undefined && <Findings findings={run.data.data} />}
    </section>
  );
}

function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  const text = useText();
  const failed = findings.filter(({ verdict }) => verdict === 'fault').length;
  const warned = findings.filter(({ verdict }) => verdict === 'warning').length;
  const columns = [text.checks.verdict, text.checks.subject, text.checks.found];
  return (
    <>
      <Notice tone={failed > 0 ? 'bad' : 'good'}>{text.checks.summary(failed, warned)}</Notice>
      <DataTable label={text.checks.findings} columns={columns} empty={text.checks.empty}>
        {findings.map((finding, place) => (
          <FindingRow key={keyOf(finding, place)} finding={finding} />
        ))}
      </DataTable>
    </>
  );
}

function FindingRow({ finding: { remedy, subject, text: found, verdict } }: { readonly finding: Finding }) {
  const text = useText();
  return (
    <tr>
      <td>
        <Badge tone={TONES[verdict]}>{text.checks.verdicts[verdict]}</Badge>
      </td>
      <td className="cell-text">{subject}</td>
      <td className="cell-text cell-wide">
        {found}
        {remedy !== null && <p className="quiet">→ {remedy}</p>}
      </td>
    </tr>
  );
}

/** Two findings may be alike in every field. */
function keyOf({ subject, verdict }: Finding, place: number): string {
  return `${verdict} ${subject} ${place}`;
}
