import { Children, type ReactNode } from 'react';
import type { TableColumn } from './virtual-table.tsx';

/** A region that scrolls must be reachable by keyboard (WCAG 2.1.1). */
const KEYBOARD_FOCUSABLE = { tabIndex: 0 };

interface DataTableProps {
  /** For screen readers. */
  readonly label: string;
  readonly columns: readonly (string | TableColumn)[];
  /** Shown if there is no row. */
  readonly empty: string;
  /** In a narrow window each cell has its own line, after its `data-name`. */
  readonly isStacked?: boolean;
  /** Rows: `tr`, each with a key. */
  readonly children: ReactNode;
}

/** A table of a few hundred rows at most. It scrolls sideways in itself, by keyboard too. */
export function DataTable({ label, columns, empty, isStacked = false, children }: DataTableProps) {
  if (Children.count(children) === 0) return <p className="quiet">{empty}</p>;
  return (
    <section className={isStacked ? 'table-scroll stacked' : 'table-scroll'} aria-label={label} {...KEYBOARD_FOCUSABLE}>
      <table>
        <thead>
          <tr>
            {columns.map(columnOf).map(({ className, name }) => (
              <th key={name} scope="col" className={className}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

function columnOf(column: string | TableColumn): TableColumn {
  return typeof column === 'string' ? { name: column } : column;
}

/** Columns of numbers, aligned like their cells. */
export function numberColumns(...names: readonly string[]): readonly TableColumn[] {
  return names.map((name) => ({ name, className: 'number' }));
}
