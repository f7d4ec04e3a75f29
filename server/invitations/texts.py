"""What the letters say, in the languages that we can write; other surveys get English letters."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class LetterTexts:
    """The sentences of a letter, in the order of the page. ``{...}`` is filled in.

    ``poster_...`` are those of a poster, and of the letter to everybody, which have no code.
    """

    language: str
    right_to_left: bool
    title: str
    reminder_title: str
    intro: str
    reminder: str
    scan_title: str
    scan: str
    type_title: str
    type_it: str
    code_title: str
    group: str
    words_title: str
    words: str
    keep: str
    promise: str
    contact: str
    poster_intro: str
    poster_reminder: str
    poster_scan: str
    poster_type: str
    poster_same: str
    poster_code: str
    poster_promise: str
    poster_closes: str


ENGLISH: Final = LetterTexts(
    language="en",
    right_to_left=False,
    title="Invitation: {title}",
    reminder_title="Reminder: {title}",
    intro="You are invited to take part in this survey. Your code tells nobody, not even us,"
    " which answers are yours.",
    reminder="You can still take part in this survey. Your code tells nobody, not even us, which"
    " answers are yours. If you have taken part in the meantime, there is nothing left to"
    " do.",
    scan_title="With a phone",
    scan="Point its camera at the large square and open the address.",
    type_title="Without a camera",
    type_it="Open {address} and type your code, or scan the small square there. Capitals and"
    " hyphens do not matter.",
    code_title="Your code",
    group="Your group is {group}: the page must find the same.",
    words_title="Compare before you answer",
    words="The page shows the survey's words, at the latest beside the field for your code. They"
    " must be these:",
    keep="Your code works once. Give it to nobody, and destroy this letter when you have taken part.",
    promise="How it works: your device turns the code into a voucher that nobody can connect with"
    " the code. It encrypts your answers so that only several key holders together can open"
    " them. They are shown only in a group of at least {k} people.",
    contact="Questions: {organizer}, {contact}",
    poster_intro="You are invited to take part in this survey.",
    poster_reminder="You can still take part in this survey. If you have, there is nothing left to do:"
    " this reminder goes to everybody, because nobody knows who has answered.",
    poster_scan="Point its camera at the square and open the address.",
    poster_type="Open {address}",
    poster_same="This address is the same for everybody, and tells nobody who you are.",
    poster_code="You take part with the code of your own letter.",
    poster_promise="Your answers are shown only in a group of at least {k} people who answered. What could"
    " tell who you are stays on your device.",
    poster_closes="Until {day}",
)

TEXTS: Final = MappingProxyType(
    {
        "en": ENGLISH,
        "de": LetterTexts(
            language="de",
            right_to_left=False,
            title="Einladung: {title}",
            reminder_title="Erinnerung: {title}",
            intro="Sie sind zu dieser Umfrage eingeladen. Ihr Code verrät niemandem, auch uns nicht,"
            " welche Antworten von Ihnen sind.",
            reminder="Sie können noch an dieser Umfrage teilnehmen. Ihr Code verrät niemandem, auch"
            " uns nicht, welche Antworten von Ihnen sind. Wenn Sie inzwischen teilgenommen"
            " haben, ist nichts mehr zu tun.",
            scan_title="Mit dem Telefon",
            scan="Richten Sie die Kamera auf das große Quadrat und öffnen Sie die Adresse.",
            type_title="Ohne Kamera",
            type_it="Öffnen Sie {address} und tippen Sie dort Ihren Code ein, oder scannen Sie dort"
            " das kleine Quadrat. Groß- und Kleinschreibung und Striche sind gleichgültig.",
            code_title="Ihr Code",
            group="Ihre Gruppe ist {group}: Die Seite muss dieselbe finden.",
            words_title="Vergleichen Sie, bevor Sie antworten",
            words="Die Seite zeigt die Wörter der Umfrage, spätestens beim Feld für Ihren Code. Es müssen"
            " diese sein:",
            keep="Ihr Code gilt einmal. Geben Sie ihn niemandem, und vernichten Sie diesen Brief,"
            " wenn Sie teilgenommen haben.",
            promise="So geht es: Ihr Gerät macht aus dem Code eine Marke, die niemand mit dem Code in"
            " Verbindung bringen kann. Es verschlüsselt Ihre Antworten so, dass nur mehrere"
            " Schlüsselhalter gemeinsam sie öffnen können. Gezeigt werden sie nur in einer Gruppe"
            " von mindestens {k} Personen.",
            contact="Fragen: {organizer}, {contact}",
            poster_intro="Sie sind zu dieser Umfrage eingeladen.",
            poster_reminder="Sie können noch an dieser Umfrage teilnehmen. Wenn Sie es schon getan haben,"
            " ist nichts mehr zu tun: Diese Erinnerung geht an alle, weil niemand weiß, wer geantwortet hat.",
            poster_scan="Richten Sie die Kamera auf das Quadrat und öffnen Sie die Adresse.",
            poster_type="Öffnen Sie {address}",
            poster_same="Diese Adresse ist für alle dieselbe und verrät niemandem, wer Sie sind.",
            poster_code="Sie nehmen mit dem Code aus Ihrem eigenen Brief teil.",
            poster_promise="Ihre Antworten werden nur in einer Gruppe von mindestens {k} Personen gezeigt,"
            " die geantwortet haben. Was verraten könnte, wer Sie sind, bleibt auf Ihrem Gerät.",
            poster_closes="Bis {day}",
        ),
        "ar": LetterTexts(
            language="ar",
            right_to_left=True,
            title="دعوة: {title}",
            reminder_title="تذكير: {title}",
            intro="أنت مدعو إلى المشاركة في هذا الاستطلاع. رمزك لا يكشف لأحد، ولا لنا، أي الإجابات إجاباتك.",
            reminder="ما زال بإمكانك المشاركة في هذا الاستطلاع. رمزك لا يكشف لأحد، ولا لنا، أي الإجابات"
            " إجاباتك. إذا كنت قد شاركت في هذه الأثناء فلا حاجة إلى فعل شيء.",
            scan_title="بالهاتف",
            scan="وجّه الكاميرا نحو المربع الكبير وافتح العنوان.",
            type_title="بدون كاميرا",
            type_it="افتح {address} واكتب رمزك هناك، أو امسح المربع الصغير. لا فرق بين الأحرف الكبيرة"
            " والصغيرة.",
            code_title="رمزك",
            group="مجموعتك هي {group}: يجب أن تجد الصفحة المجموعة نفسها.",
            words_title="قارن قبل أن تجيب",
            words="تعرض الصفحة كلمات الاستطلاع، على الأكثر بجانب حقل رمزك. يجب أن تكون هذه:",
            keep="رمزك صالح مرة واحدة. لا تعطه لأحد، وأتلف هذه الرسالة بعد مشاركتك.",
            promise="كيف يعمل: يحوّل جهازك الرمز إلى قسيمة لا يستطيع أحد أن يربطها بالرمز، ويشفّر إجاباتك"
            " بحيث لا يفتحها إلا حاملو المفاتيح معًا. ولا تُعرض إلا ضمن مجموعة من {k} أشخاص على الأقل.",
            contact="للأسئلة: {organizer}، {contact}",
            poster_intro="أنت مدعو إلى المشاركة في هذا الاستطلاع.",
            poster_reminder="ما زال بإمكانك المشاركة في هذا الاستطلاع. إذا كنت قد شاركت فلا حاجة إلى فعل"
            " شيء: يُرسل هذا التذكير إلى الجميع، لأن لا أحد يعرف من أجاب.",
            poster_scan="وجّه الكاميرا نحو المربع وافتح العنوان.",
            poster_type="افتح {address}",
            poster_same="هذا العنوان واحد للجميع، ولا يكشف لأحد من أنت.",
            poster_code="تشارك بالرمز المكتوب في رسالتك أنت.",
            poster_promise="لا تُعرض إجاباتك إلا ضمن مجموعة من {k} أشخاص على الأقل أجابوا. وما قد يكشف من أنت"
            " يبقى على جهازك.",
            poster_closes="حتى {day}",
        ),
        "fr": LetterTexts(
            language="fr",
            right_to_left=False,
            title="Invitation : {title}",
            reminder_title="Rappel : {title}",
            intro="Vous êtes invité à participer à cette enquête. Votre code ne révèle à personne, pas même à"
            " nous, quelles réponses sont les vôtres.",
            reminder="Vous pouvez encore participer à cette enquête. Votre code ne révèle à personne, pas"
            " même à nous, quelles réponses sont les vôtres. Si vous avez participé entre-temps, il n’y a"
            " plus rien à faire.",
            scan_title="Avec un téléphone",
            scan="Dirigez l’appareil photo vers le grand carré et ouvrez l’adresse.",
            type_title="Sans appareil photo",
            type_it="Ouvrez {address} et saisissez votre code, ou scannez-y le petit carré. Majuscules et"
            " tirets n’ont pas d’importance.",
            code_title="Votre code",
            group="Votre groupe est le {group} : la page doit trouver le même.",
            words_title="Comparez avant de répondre",
            words="La page montre les mots de l’enquête, au plus tard à côté du champ du code. Ce doivent"
            " être ceux-ci :",
            keep="Votre code sert une seule fois. Ne le donnez à personne, et détruisez cette lettre quand"
            " vous aurez participé.",
            promise="Comment ça marche : votre appareil change le code en un bon que personne ne peut relier"
            " au code. Il chiffre vos réponses de sorte que seuls plusieurs détenteurs de clés ensemble"
            " peuvent les ouvrir. Elles ne sont montrées que dans un groupe d’au moins {k} personnes.",
            contact="Questions : {organizer}, {contact}",
            poster_intro="Vous êtes invité à participer à cette enquête.",
            poster_reminder="Vous pouvez encore participer à cette enquête. Si vous l’avez fait, il n’y"
            " a plus rien à faire : ce rappel est envoyé à tous, parce que personne ne sait qui a répondu.",
            poster_scan="Dirigez l’appareil photo vers le carré et ouvrez l’adresse.",
            poster_type="Ouvrez {address}",
            poster_same="Cette adresse est la même pour tous et ne révèle à personne qui vous êtes.",
            poster_code="Vous participez avec le code de votre propre lettre.",
            poster_promise="Vos réponses ne sont montrées que dans un groupe d’au moins {k} personnes qui ont"
            " répondu. Ce qui pourrait révéler qui vous êtes reste sur votre appareil.",
            poster_closes="Jusqu’au {day}",
        ),
    }
)


def texts_for(language: str) -> LetterTexts:
    """The sentences in a language, its base language, or English."""
    return TEXTS.get(language) or TEXTS.get(language.partition("-")[0].lower()) or ENGLISH
