import type { ClauseWords } from './clause-words.ts';
import { compounds, phraseSet, wordSet } from './word-lists.ts';

export const DUTCH_CLAUSES: ClauseWords = {
  open: wordSet(`
    en of maar want omdat doordat dus terwijl hoewel zodat voordat nadat de een mijn m'n jouw je haar onze ons hun
    uw elke iedere welke deze van voor met zonder bij naar tot te ten ter tussen tegen tijdens sinds per via volgens
    wegens eh uh uhm ehm euh euhm meneer mevrouw half zodra zolang tenzij namens`),
  mostlyOpen: wordSet('is zijn waren ben dan als ik we wij zeer heel heet'),
  openUnmarked: wordSet(`
    was heb hebt heeft hebben had hadden kan kun kunt kunnen kon zou zouden wil wilt willen wilde wou moet moeten
    mag mogen zal zullen wordt worden dat wanneer toen ook in op aan om over door uit onder achter naast het hij ze
    zij er wat wie waar hoe waarom die dit nou erg nog ongeveer konden wilden moest moesten mocht werd werden`),
  openEndings: phraseSet(`
    ik wil graag, ik zou graag, ik zou willen, zou ik graag, ik wou graag, ik wilde graag, wij willen graag, we
    willen graag, zou graag, wil graag, wilde graag, ik wil, ik heb, ik ben, ik heb een, ik zoek, ik zoek een, ik
    moet, ik kan, ik zou, ik bel, ik bel voor, ik bel om, ik bel over, ik bel omdat, ik bel in verband met, kunt u,
    kunt u mij, kunt u me, kan ik, kan u, zou u, zou u mij, zou u me, zou je, zou ik, mag ik, kun je, kun je me,
    heeft u, hebt u, hebben jullie, is het mogelijk, zou het mogelijk zijn, is er, zijn er, er is, er zijn, het is,
    dat is, dat was, mijn naam is, het probleem is, het punt is, de vraag is, het gaat om, het gaat over, gaat het
    om, ik wilde vragen, ik wilde even vragen, ik wil weten, ik vroeg me af, ik vroeg me af of, weten of, weten
    wanneer, weten hoe, kijken of, ik denk, ik denk dat, ik geloof, ik geloof dat, ik hoop, ik hoop dat, omdat ik,
    zodat ik, dat ik, in plaats van, vanwege, ten opzichte van, in verband met, een beetje, een paar, een van, een
    soort, hoeveel, hoe lang, u kunt mij, u kunt me, het nummer is, om te, niet alleen, zowel, kunt u alstublieft,
    kunt u mij alstublieft, in de, op de, om de, aan de, is er misschien, heeft u misschien, kunt u misschien, heeft
    u nog, is er nog, ik probeer, is dokter, is dr, het probleem is dat, het punt is dat, de vraag is of, zo'n, en
    nog iets, nog een ding, bel is dat, nodig heb is, vragen is, weten is, zeggen is, snap is, begrijp is`),
  reportEndings: phraseSet(`
    ik bedoel, ik bedoelde, ik wilde zeggen, werd mij gezegd, ze zeiden, hij zei, zij zei`),
  closedEndings: phraseSet(`
    dat weet ik, dat wil ik, dat kan ik, dat heb ik, dat ben ik, dat is het, ja dat is het, ja dat klopt, ja ik
    ben, ja ik wil, ja ik kan, ja ik heb, dat kan, ja dat kan, kan dat, mag dat, is dat, wat is dat, hoe kan
    dat, wat kost dat, ik weet het, ik denk het, ik wil dat, ik doe dat, hoe lang duurt dat, dat mag, dat moet,
    dat kan ook, ik ook, u ook, jij ook, wij ook, ja hoor, ja graag, zo is het, dat was het, zo was het, wie is
    dat, waar is dat, wanneer is dat, ik denk dat wel, af en toe, doe maar, zeg het maar, laat maar, kom maar,
    hoe gaat het, ik heb het, ik snap het, ik begrijp het, doe het, is het, hoe laat is het, wat is het, hoe
    heet het, het gaat, maakt niet uit, werkt het, gaat het, kost het, duurt het, betekent dat, werkt dat, gaat
    dat, duurt dat, heet dat, dat zou ik, dat moet ik, dag nog, avond nog, weekend nog, u er nog, je er nog, wat nog`),
  objectVerbs: wordSet(`
    zoek wil wilde boek bestel reserveer neem geef stuur koop huur maak verander krijg boeken bestellen geven
    sturen kopen`),
  verbFinal: true,
  particles: wordSet('op aan af uit in mee door toe'),
  particleVerbs: wordSet(`
    bel bellen belt belde kom komt komen kwam geef geeft geven ga gaat gaan ging hang hangt neem neemt nemen zet
    zetten doe doet doen maak maakt maken zeg zegt zeggen vul vult vullen stuur stuurt sturen log logt schrijf
    schrijft meld meldt melden valt viel hou houdt houden sluit loop loopt leg legt rond`),
  questionWords: wordSet(`
    wat wie waar hoe wanneer waarom welke welk hoeveel waarheen waarvoor waarover waarmee waarvan`),
  auxiliaries: wordSet(`
    is zijn was ben heb hebt heeft hebben had kan kun kunt kunnen kon zou zouden wil wilt willen wilde moet moeten
    mag mogen zal zullen konden wilden moest moesten mocht wordt worden werd werden hadden`),
  pronouns: wordSet('ik u je jij hij ze zij we wij jullie er'),
  clauseOpeners: phraseSet(`
    als, wanneer, zodra, zolang, voordat, nadat, terwijl, hoewel, tenzij, indien, toen, mocht, ook al`),
  mainClauseStarts: phraseSet(`
    dan, graag, alstublieft, bel mij, belt u, bel me, laat het, geef, stuur, kom ik, bel ik, ga ik, neem ik, betaal
    ik, krijg ik, blijft, komt hij, geldt, is dat, kan dat, lukt, werkt, gaat het, hoeft, doe ik, is er, ben ik`),
  leadWords: wordSet(`
    ja nee oké ok goed nou dus en maar oh ah hallo goedemorgen goedemiddag goedenavond dag sorry prima momentje
    precies eh uh dank alstublieft want omdat of zo toch alleen`),
  closings: phraseSet(`
    alstublieft, alsjeblieft, graag, dank u, dank u wel, dank je wel, bedankt, als dat kan, als het kan, dat was
    het, dat is alles, tot ziens, dag, als dat mag`),
  phrases: {
    determiners: wordSet('de een mijn onze ons uw hun zijn haar'),
    pronounArticles: wordSet('het deze dit die dat'),
    objectQuestions: wordSet('wat wie welke waar'),
    conjunctions: wordSet('dat omdat of als hoewel'),
    relatives: wordSet('die dat wie waar wiens'),
    firstPersons: wordSet('ik'),
    degrees: wordSet('heel erg vrij nogal zeer best behoorlijk'),
    adjectiveFirst: true,
    stranded: wordSet('vandaan over aan voor mee naar van op in bij uit toe heen om tegen dan toch'),
    prepositions: wordSet(`
    van in op aan met bij voor uit naar over door om sinds vanaf tot onder achter naast tegen zonder tijdens`),
    adverbs: wordSet(`
    gisteren vandaag morgen eergisteren nu eigenlijk helaas plotseling altijd vaak toen daarna momenteel onlangs
    normaal waarschijnlijk`),
    softeners: wordSet(`
    ook misschien even nog eventueel gewoon alleen eigenlijk liever graag al reeds liefst helaas
    waarschijnlijk`),
    participleEndings: ['d', 't', 'en'],
    adjectives: wordSet(`
    vorige laatste volgende eerste tweede nieuwe oude hele andere grote kleine afgelopen twee drie`),
    timeNouns: wordSet(`
    maandag dinsdag woensdag donderdag vrijdag zaterdag zondag week maand jaar dag ochtend avond middag nacht
    weekend keer uur weken maanden dagen jaren uren minuten maal geleden`),
    articles: wordSet('het deze dit'),
    indefinites: wordSet('een'),
    verbEndings: [
      'oet',
      'aat',
      'omt',
      'igt',
      'rkt',
      'ukt',
      'opt',
      'eft',
      'ost',
      'urt',
      'int',
      'rdt',
      'jft',
      'ast',
      'en',
    ],
    nounEndings: [],
    pronominal: wordSet(`
    hier daar niet alles niets zo graag wat zelf`),
    residenceVerbs: wordSet('woon wonen woont woonachtig'),
    subjectDeterminers: wordSet('de mijn onze ons uw hun zijn haar'),
    modals: wordSet('kan kun kunt kunnen mag mogen zou zouden'),
    objectModals: wordSet('kan kun kunt kunnen kon konden moet moeten moest moesten mag mogen zou zouden zal zullen'),
    wishModals: wordSet('wil wilt willen wilde wilden'),
    objectPronouns: wordSet('mij me ons hem haar'),
    titles: wordSet('mevrouw meneer'),
    wishVerbs: wordSet('wil wilde zoek wou nodig'),
    lightVerbs: wordSet('doet'),
    helpWords: wordSet('helpen doen gebeurd'),
  },
  spoken: {
    hesitations: phraseSet(`
    nou, nou ja, nou kijk, kijk, dus, weet u, weet je, ik bedoel, eigenlijk, zeg maar, tja, luister, het punt
    is, het probleem is, het zit zo, ja kijk, ja nou`),
    pastWords: wordSet('gisteren eergisteren vorige afgelopen laatst laatste geleden onlangs'),
    holds: phraseSet(`
    wacht, wacht even, wacht eens, wacht eens even, momentje, moment, een moment, een momentje, ogenblik,
    ogenblikje, een ogenblik, seconde, een seconde, stop, secondje, een secondje, momentje geduld`),
    searches: phraseSet(`
    kijken, ik kijk, ik moet kijken, ik moet nakijken, ik moet opzoeken, dat moet ik nakijken, dat moet ik opzoeken,
    ik zoek het op, ik pak mijn, ik pak de, ik haal mijn, ik haal de, laat me, laat mij, ik zoek de, ik zoek mijn`),
    retractions: phraseSet(`
    nee, sorry, pardon, excuus, fout, ik bedoel, eigenlijk, toch niet, of nee, oh nee, klopt niet`),
    speakers: wordSet('ik we wij'),
    negations: wordSet('niet geen nooit niemand niets'),
    indefinitePersons: wordSet('iemand niemand iedereen'),
    negativeObjects: wordSet(''),
    elidedObjects: wordSet(''),
    perfectAuxiliaries: wordSet('heeft heb hebt hebben had hadden'),
    perfectCopulas: wordSet('ben bent is zijn'),
    firstPersonAuxiliaries: wordSet(''),
    conditionalEndings: [],
    firstPersonEndings: [],
    quoteVerbs: phraseSet(''),
    displayVerbs: phraseSet('staat, staat er, staat daar, staat hier'),
    speechParticiples: phraseSet(''),
    progressives: wordSet(''),
    wishes: phraseSet('liever, liefst'),
    impersonals: wordSet('er daar hier het'),
  },
  dictationLeads: {
    topics: {
      phone: phraseSet(`
    telefoonnummer, nummer, mobiele nummer, mobiel nummer, mobiel, gsm-nummer, gsm nummer, gsm, telefoon, netnummer`),
      email: phraseSet(`
    e-mail, email, mail, e-mailadres, emailadres, mailadres, e-mail adres, email adres, mail adres`),
      spelling: phraseSet('spellen, spelt, schrijf je, schrijft u, gespeld'),
      birth_date: phraseSet('geboortedatum, verjaardag, geboren, geboren op'),
      date: phraseSet('datum, welke dag'),
      postcode: phraseSet('postcode'),
      reference: phraseSet(`
    klantnummer, ordernummer, bestelnummer, rekeningnummer, referentienummer, referentie, reserveringsnummer,
    boekingsnummer, boekingscode, factuurnummer, contractnummer, polisnummer, kaartnummer, creditcard,
    creditcardnummer, iban, burgerservicenummer, bsn, serienummer, code, kenteken, dossiernummer, zaaknummer,
    lidnummer, pincode, meterstand, track en trace, trackingnummer, rijksregisternummer`),
      address: phraseSet('adres, straat'),
    },
    copulas: wordSet('is het de dat was zijn luidt eindigt begint dus'),
    leadIns: {
      phone: phraseSet(`
    bereikbaar op, te bereiken op, mij bereiken op, me bereiken op, mij bellen op, me bellen op, bel me op, bel mij
    op, terugbellen op, op het nummer, op nummer`),
      email: phraseSet('mailen naar, mail naar, mijn mail, mijn e-mail, mijn email, sturen naar'),
      spelling: phraseSet(`
    ik spel het, ik spel, dat spel je, dat schrijf je, gespeld als, dat is gespeld, je schrijft, je spelt het, dat
    schrijf je als, u schrijft het`),
    },
    statements: wordSet(`
    niet geen fout juist goed hetzelfde dezelfde nog al op in anders kapot vol geblokkeerd weg altijd nooit te heel
    bezet ook nieuw oud veranderd gewijzigd ongeldig onbekend hier daar waar wat u bekend gehackt stuk dood leeg kwijt
    gestolen`),
    confirmations: wordSet('is zijn was waren klopt heeft hebt'),
    months: wordSet(`
    januari februari maart april mei juni juli augustus september oktober november december`),
    ordinals: wordSet(`
    eerste derde achtste ${compounds('twee vier vijf zes zeven negen tien elf twaalf dertien veertien vijftien zestien zeventien achttien negentien', 'de')}
    ${compounds('twintig eenentwintig tweeëntwintig drieëntwintig vierentwintig vijfentwintig zesentwintig zevenentwintig achtentwintig negenentwintig dertig eenendertig', 'ste')}`),
    tens: wordSet(''),
    phoneDigits: { least: 10, most: 10, mostOther: 10 },
    postcodeDigits: 4,
    postcodeDigitsLeast: 4,
    postcodeLetters: 2,
  },
};
