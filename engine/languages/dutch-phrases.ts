import { DUTCH_NUMBERS } from '../../base/text/number-words.ts';
import { dictatedNumbers } from './dictated-numbers.ts';
import { DUTCH_CLAUSES } from './dutch-clauses.ts';
import type { LanguagePack } from './language-pack.ts';
import { phraseSet, wordSet } from './word-lists.ts';

export const DUTCH: LanguagePack = {
  backchannels: phraseSet(`
    mhm, mm-hmm, hm, hmm, mm, mmm, hum, aha, ah, ah ja, ah oké, oh, oh ja, o, ok, oké, oke, okay, okee, ja, ja ja,
    jaja, jawel, jazeker, jep, jup, ja hoor, ja precies, ja klopt, ja dat klopt, klopt, dat klopt, precies, inderdaad,
    juist, zeker, zeker weten, absoluut, uiteraard, natuurlijk, tuurlijk, goed, heel goed, is goed, dat is goed,
    prima, mooi, fijn, top, perfect, uitstekend, geweldig, helemaal goed, komt goed, akkoord, begrepen, begrijp ik,
    ik begrijp het, snap ik, ik snap het, duidelijk, helder, ik weet het, weet ik, echt, echt waar, interessant,
    geen probleem, ga door, zegt u het maar, zeg het maar, graag, eens, dat is waar`),
  attentionCalls: phraseSet(`
    hallo, bent u daar, bent u er nog, ben je daar, ben je er nog, is daar iemand, is er iemand, hoort u mij,
    hoort u me, hoor je mij, hoor je me, kunt u mij horen, kunt u me horen, kan je me horen, kun je me horen`),
  stopPhrases: phraseSet(`
    stop, ho, wacht, wacht even, wacht eens, even wachten, momentje, een momentje, een moment, een ogenblik, ogenblik,
    één moment, seconde, een seconde, nee, neen, nee nee, sorry, pardon, excuseer, excuses, neem me niet kwalijk,
    luister, laat me uitpraten, mag ik even, hou op, houd op, stil, genoeg, laat maar, vergeet het, eigenlijk`),
  farewells: phraseSet(`
    nee dank u, nee dank u wel, nee dank je, nee bedankt, nee hoor, nee dat was het, nee dat is alles, dag, dag hoor,
    daag, doei, doeg, doei doei, tot ziens, tot horens, tot straks, tot later, tot snel, tot dan, tot morgen,
    tot vrijdag, tot de volgende keer, dank u, dank je, dank u wel, dank je wel, dankuwel, dankjewel, bedankt,
    hartelijk dank, hartelijk bedankt, heel erg bedankt, erg bedankt, veel dank, insgelijks, van hetzelfde, hetzelfde,
    u ook, jij ook, voor u ook, jullie ook, fijne dag, fijne dag nog, een fijne dag, een fijne dag nog, fijne avond,
    fijne avond nog, een fijne avond, prettige dag, prettige dag nog, een prettige dag, prettige avond, goedenavond,
    goedemiddag, goedenacht, welterusten, fijn weekend, prettig weekend, ciao, salut, houdoe, dat was het,
    dat is alles, graag gedaan, alle goeds`),
  clauses: DUTCH_CLAUSES,
  dictation: {
    ...dictatedNumbers(DUTCH_NUMBERS, 'dubbel dubbele'),
    ambiguous: wordSet('een u'),
    alphabet: wordSet(`
      anna anton bernard cornelis dirk eduard ferdinand gerard hendrik izaak isaak jan johan karel lodewijk maria nico
      nicolaas otto pieter quotiënt quirinus rudolf simon teunis utrecht victor willem xantippe ypsilon ijmuiden
      ijsbrand zaandam zacharias alfa bravo charlie delta echo foxtrot golf hotel india juliet kilo lima mike november
      oscar papa quebec romeo sierra tango uniform whiskey yankee zulu`),
    letterLinks: phraseSet('van, als in, zoals in'),
    atSign: wordSet('apenstaartje apestaartje apenstaart apestaart at'),
    marks: wordSet('punt streepje koppelteken underscore liggend slash schuine streep plus hekje komma'),
    streets: wordSet('straat huisnummer postcode'),
    streetEndings: ['straat', 'weg', 'laan', 'plein', 'gracht', 'kade', 'singel', 'dreef', 'dijk', 'steeg'],
    streetNameFollows: false,
  },
  abbreviations: wordSet('dhr mevr mw mr dr drs ir ing prof st nr tel ca bijv bv enz o.a d.w.z m.b.t t.a.v i.p.v jl'),
  ordinalStop: false,
  apology: 'Het spijt me, er is bij ons iets misgegaan. Belt u ons later nog eens. Tot ziens.',
  emptyResponseApology: 'Sorry, ik ben de draad kwijt. Kunt u dat alstublieft nog eens zeggen?',
  toolFiller: 'Een ogenblik alstublieft, ik ben er nog mee bezig.',
  thinkingFiller: 'Een ogenblik, alstublieft.',
  answeringMachine: {
    introduction: [
      'u|je spreekt met',
      'dit is',
      'u|je bent verbonden',
      'u|je hebt … bereikt',
      'met de voicemail',
      'welkom bij',
      'bedankt|dank voor',
    ],
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
  },
};
