/** Part of `IMPORTS`. */
export const CONSOLE_IMPORTS: Record<string, readonly string[]> = {
  console: [],
  'console/src': [
    'console/src/api',
    'console/src/i18n',
    'console/src/session',
    'console/src/shell',
    'console/src/styles',
  ],
  'console/src/api': ['console', 'console/src/generated'],
  'console/src/calls': [
    'console/src/api',
    'console/src/format',
    'console/src/generated',
    'console/src/i18n',
    'console/src/ui',
    'src/log',
  ],
  'console/src/format': [],
  'console/src/i18n': [],
  'console/src/session': ['console/src/api', 'console/src/generated', 'console/src/i18n', 'console/src/ui'],
  'console/src/shell': [
    'console/src/api',
    'console/src/calls',
    'console/src/generated',
    'console/src/i18n',
    'console/src/session',
    'console/src/ui',
  ],
  'console/src/ui': ['console/src/i18n'],
};
