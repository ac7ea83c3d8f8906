import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useRef } from 'react';

const ROW_HEIGHT_PX = 38;
/** Rows drawn above and below the visible ones. */
const OVERSCAN = 12;

interface VirtualTableProps {
  /** For screen readers. */
  readonly label: string;
  /** The cells of the head. */
  readonly head: ReactNode;
  readonly columns: number;
  readonly count: number;
  /** A `tr` with its key; `rowIndex` is its `aria-rowindex`. */
  readonly row: (index: number, rowIndex: number) => ReactNode;
}

/** Draws only the rows in view, so that hundreds of rows cost no more than a screen of them. */
export function VirtualTable({ label, head, columns, count, row }: VirtualTableProps) {
  const scrolled = useRef<HTMLElement>(null);
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scrolled.current,
    estimateSize: () => ROW_HEIGHT_PX,
    overscan: OVERSCAN,
    initialRect: { width: 0, height: 800 },
  });
  const rows = virtualizer.getVirtualItems();
  const above = rows[0]?.start ?? 0;
  const below = virtualizer.getTotalSize() - (rows.at(-1)?.end ?? 0);
  return (
    <section className="table-scroll" aria-label={label} ref={scrolled}>
      <table aria-rowcount={count + 1}>
        <thead>
          <tr>{head}</tr>
        </thead>
        <tbody>
          <Spacer height={above} columns={columns} />
          {rows.map(({ index }) => row(index, index + 2))}
          <Spacer height={below} columns={columns} />
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
