"""What the letters say, in the languages that we can write; other surveys get English letters."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class LetterTexts:
    """The sentences of a letter, in the order of the page. ``{...}`` is filled in."""

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
    words_title: str
    words: str
    keep: str
    promise: str
    contact: str


ENGLISH: Final = LetterTexts(
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
    words_title="Compare before you answer",
    words="The page shows the survey's words, at the latest beside the field for your code. They"
    " must be these:",
    keep="Your code works once. Give it to nobody, and destroy this letter when you have taken part.",
    promise="How it works: your device turns the code into a voucher that nobody can connect with"
    " the code. It encrypts your answers so that only several key holders together can open"
    " them. They are shown only in a group of at least {k} people.",
    contact="Questions: {organizer}, {contact}",
)

TEXTS: Final = MappingProxyType(
    {
        "en": ENGLISH,
        "de": LetterTexts(
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
        ),
        "ar": LetterTexts(
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
            words_title="قارن قبل أن تجيب",
            words="تعرض الصفحة كلمات الاستطلاع، على الأكثر بجانب حقل رمزك. يجب أن تكون هذه:",
            keep="رمزك صالح مرة واحدة. لا تعطه لأحد، وأتلف هذه الرسالة بعد مشاركتك.",
            promise="كيف يعمل: يحوّل جهازك الرمز إلى قسيمة لا يستطيع أحد أن يربطها بالرمز، ويشفّر إجاباتك"
            " بحيث لا يفتحها إلا حاملو المفاتيح معًا. ولا تُعرض إلا ضمن مجموعة من {k} أشخاص على الأقل.",
            contact="للأسئلة: {organizer}، {contact}",
        ),
    }
)


def texts_for(language: str) -> LetterTexts:
    """The sentences in a language, its base language, or English."""
    return TEXTS.get(language) or TEXTS.get(language.partition("-")[0].lower()) or ENGLISH
