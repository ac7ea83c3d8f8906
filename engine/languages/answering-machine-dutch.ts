import type { AnsweringMachinePhrases } from './answering-machine-phrases.ts';

export const DUTCH: AnsweringMachinePhrases = {
  recording: [
    'na de|het piep|toon|pieptoon|signaal|bliep',
    'spreek … bericht',
    'laat|laten … bericht … achter',
    'bericht achter te laten',
    'bericht inspreken',
  ],
  absence: [
    'voicemail',
    'antwoordapparaat',
    'bericht achterlaten',
    'niet bereikbaar op dit',
    'kan … niet opnemen',
    'kunnen … niet opnemen',
    'ben … niet bereikbaar',
    'zijn … niet bereikbaar',
  ],
  menu: [
    'toets|druk|kies … een|één|twee|drie|vier|vijf|zes|zeven|acht|negen|nul|hekje|sterretje|1|2|3|4|5|6|7|8|9|0',
    'keuzemenu',
    'hoofdmenu',
    'volgende opties|keuzes',
  ],
  screening: [
    'noem|zeg|geef … uw|je naam',
    'reden van uw|je oproep|gesprek|telefoontje',
    'waarom u belt',
    'waarom je belt',
    'waarvoor u belt',
  ],
  announcement: [
    'niet bereikbaar',
    'niet in gebruik',
    'niet aangesloten',
    'bestaat niet',
    'nummer dat u|je … gekozen|gebeld',
    'buiten gebruik',
  ],
  pleaseWait: [
    'een moment alstublieft',
    'blijf|blijft … lijn',
    'even geduld',
    'moment geduld',
    'ik verbind u',
    'u wordt doorverbonden',
    'wordt doorverbonden',
  ],
};
