import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useRef } from 'react';

const ROW_HEIGHT_PX = 38;
/** In a narrow window cells have two lines. */
const NARROW_ROW_HEIGHT_PX = 54;
const NARROW = '(max-width: 760px)';
/** Rows drawn above and below the visible ones. */
const OVERSCAN = 12;

export interface TableColumn {
  readonly name: string;
  /** As of the column's cells. */
  readonly className?: string;
}

interface VirtualTableProps {
  /** For screen readers. */
  readonly label: string;
  readonly columns: readonly TableColumn[];
  readonly count: number;
  /** A `tr` with its key; `rowIndex` is its `aria-rowindex`. */
  readonly row: (index: number, rowIndex: number) => ReactNode;
}

/** Draws only the rows in view, so that hundreds of rows cost no more than a screen of them. */
export function VirtualTable({ label, columns, count, row }: VirtualTableProps) {
  const scrolled = useRef<HTMLElement>(null);
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scrolled.current,
    estimateSize: () => (matchMedia(NARROW).matches ? NARROW_ROW_HEIGHT_PX : ROW_HEIGHT_PX),
    overscan: OVERSCAN,
    initialRect: { width: 0, height: 800 },
  });
  const rows = virtualizer.getVirtualItems();
  const above = rows[0]?.start ?? 0;
  const below = virtualizer.getTotalSize() - (rows.at(-1)?.end ?? 0);
  return (
    <section className="table-scroll fixed-rows" aria-label={label} ref={scrolled}>
      <table aria-rowcount={count + 1}>
        <thead>
          <tr>
            {columns.map(({ name, className }) => (
              <th key={name} scope="col" className={className}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer height={above} columns={columns.length} />
          {rows.map(({ index }) => row(index, index + 2))}
          <Spacer height={below} columns={columns.length} />
        </tbody>
      </table>
    </section>
  );
}

/** Takes the place of the rows that are not drawn. */
function Spacer({ height, columns }: { readonly height: number; readonly columns: number }) {
  return height <= 0 ? null : (
    <tr>
      <td colSpan={columns} style={{ height, padding: 0 }} />
    </tr>
  );
}
