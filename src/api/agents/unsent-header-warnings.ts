import type { AgentConfiguration } from '../../../engine/agent/agent-schema.ts';
import { isFramingHeader } from '../../calls/custom-functions/tool-request.ts';
import type { AgentWarning } from './agent-warning.ts';

/** Warns of headers of custom functions that are never sent. */
export function unsentHeaderWarnings({ states }: AgentConfiguration): AgentWarning[] {
  return states.flatMap(({ tools }, stateIndex) =>
    tools.flatMap((tool, toolIndex) => {
      if (tool.type !== 'custom_function') return [];
      return tool.headers.flatMap(({ name }, index) => {
        const field = `states[${stateIndex}].tools[${toolIndex}].headers[${index}].name`;
        return isFramingHeader(name)
          ? [{ field, message: `${name} follows from the request: this value is not sent` }]
          : [];
      });
    }),
  );
}
