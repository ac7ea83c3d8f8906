import { useEffect, useState } from 'react';
import { parsedJson } from '../document/agent-document.ts';
import type { AgentFinding } from './agent-finding.ts';
import { NOT_CHECKED } from './finding-message.ts';

/** A check begins when nothing was typed for this long, ms. */
const PAUSE_MS = 250;
const NOTHING: readonly AgentFinding[] = [];
const UNCHECKED: readonly AgentFinding[] = [{ severity: 'warning', field: '', message: NOT_CHECKED }];

/**
 * The findings about a document, as it is stored or edited. The check is loaded after the page, as it is as large as the
 * editor; one that cannot be loaded is a finding, until the next change loads it.
 */
export function useDocumentCheck(content: string): readonly AgentFinding[] {
  const [findings, setFindings] = useState(NOTHING);
  useEffect(() => {
    let isCurrent = true;
    const timer = setTimeout(async () => {
      const check = await import('./check-document.ts').catch(() => null);
      if (isCurrent) setFindings(check === null ? UNCHECKED : findingsOf(content, check.checkDocument));
    }, PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [content]);
  return findings;
}

function findingsOf(content: string, check: (document: unknown) => readonly AgentFinding[]): readonly AgentFinding[] {
  const document = parsedJson(content);
  return document === null ? NOTHING : check(document);
}
