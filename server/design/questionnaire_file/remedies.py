"""What to do about each thing that a questionnaire cannot have, in words."""

from __future__ import annotations

from typing import Final

_LOOKS: Final = "It only says how something looks; remove it."
_COMPUTED: Final = "Nothing is computed on the page; remove it, and compute from the released table."
_FETCHED: Final = "Nothing is fetched while somebody answers; write the choices into the file."
_PICTURE: Final = (
    "Put pictures into the document as image elements with data:image/png;base64,... and an altText."
)
_ORDER: Final = "Everybody sees the choices in the order of the file; remove it."
_PREFILLED: Final = "An answer that stands there already is not hers; remove it."

_WORDS: Final = "The page says this in words of its own; remove it."
_STEERED: Final = "Pages and their buttons are the same in every survey; remove it."

_OF_LOOKS: Final = (
    "alternateRows autoGrow backgroundImage backgroundOpacity cellType colCount cols columnMinWidth"
    " descriptionLocation displayMode displayRateDescriptionsAsExtremeItems displayStyle errorLocation"
    " fitToContainer fullWidth headerView height hideNumber imageFit imageHeight imageWidth indent"
    " itemSize logo logoFit logoHeight logoPosition logoWidth maxWidth minWidth mobileView"
    " questionDescriptionLocation questionErrorLocation questionStartIndex questionTitleLocation"
    " questionTitleWidth rateColorMode rateDescriptionLocation rateType renderAs rows rowTitleWidth"
    " scaleColorMode scaleColors showCharacterCounter showNumber showQuestionNumbers size"
    " startWithNewLine swapOrder themeId themeName titleLocation titlePosition verticalAlign width"
    " widthMode"
)
_OF_WORDS: Final = (
    "completedBeforeHtml completedHtml completeText editText loadingHtml maxOthersLength maxTextLength"
    " minRateCaption optionsCaption otherErrorText otherPlaceHolder otherPlaceholder pageNextText"
    " pagePrevText placeHolder placeholder previewText requiredErrorText requiredText showOptionsCaption"
    " startSurveyText"
)
_OF_STEERING: Final = (
    "allowClear allowCompleteSurveyAutomatic autoAdvanceEnabled checkErrorsMode clearIfInvisible"
    " clearInvisibleValues cookieName firstPageIsStarted firstPageIsStartPage"
    " focusFirstQuestionAutomatic goNextPageAutomatic hideIfRowsEmpty mode navigationButtonsVisibility"
    " navigationDescription navigationTitle progressBarLocation progressBarType questionsOnPageMode"
    " readOnly searchEnabled sendResultOnPageNext showClearButton showCompletedPage"
    " showNavigationButtons showPageTitles showPreviewBeforeComplete showProgressBar showTitle showTOC"
    " storeOthersAsComment surveyId surveyPostId surveyShowDataSaving textUpdateMode tocLocation"
)

PROPERTIES: Final[dict[str, str]] = {
    **dict.fromkeys(_OF_LOOKS.split(), _LOOKS),
    **dict.fromkeys(_OF_WORDS.split(), _WORDS),
    **dict.fromkeys(_OF_STEERING.split(), _STEERED),
    **dict.fromkeys(("calculatedValues", "setValueExpression", "setValueIf", "score", "scores"), _COMPUTED),
    **dict.fromkeys(("choicesByUrl", "choicesFromQuestion", "choicesFromQuestionMode"), _FETCHED),
    **dict.fromkeys(("choicesOrder", "rowsOrder", "questionsOrder", "rowOrder"), _ORDER),
    **dict.fromkeys(("defaultValue", "defaultValueExpression", "defaultRowValue"), _PREFILLED),
    "imageLink": _PICTURE,
    "description": "Put the words into the description of survey.toml, or of a page.",
    "autocomplete": "Nothing that a browser knows of somebody may be filled in; remove it.",
    "rateCount": "Write rateMax.",
    "showRefuseItem": "Leave the question optional, or write the choice yourself.",
    "showDontKnowItem": "Leave the question optional, or write the choice yourself.",
    "valueTrue": "The answer is true or false; remove it.",
    "valueFalse": "The answer is true or false; remove it.",
    "maxSelectedChoices": "Any number may be ticked; say in the title how many you would like.",
    "minSelectedChoices": "Any number may be ticked; say in the title how many you would like.",
    "isRequired": "Nothing is asked here; remove it.",
    "eachRowUnique": "Use ranking.",
    "triggers": "Say by visibleIf of each question when it is asked.",
    "visible": "Remove what nobody sees, or say by visibleIf when it is asked.",
    "enableIf": "Say by visibleIf when it is asked.",
    "choicesVisibleIf": "Ask it as two questions, each with its choices and a visibleIf.",
    "choicesEnableIf": "Ask it as two questions, each with its choices and a visibleIf.",
    "rowsVisibleIf": "Ask it as two matrices, each with its rows and a visibleIf.",
    "columnsVisibleIf": "Ask it as two matrices, each with its columns and a visibleIf.",
    "validators": "Give numbers and dates their min and max; an answer has no other conditions.",
    "validation": "Give numbers and dates their min and max; an answer has no other conditions.",
    "rateValues": "Use radiogroup with these choices, or rateMin and rateMax.",
    "hasSelectAll": "Remove it: every choice is ticked by herself.",
    "showSelectAllItem": "Remove it: every choice is ticked by herself.",
    "hasComment": "Add a comment element behind it.",
    "showCommentArea": "Add a comment element behind it.",
    "correctAnswer": "Remove it: an answer is not marked.",
    "maxTimeToFinish": "Remove it: nobody is hurried.",
    "maxTimeToFinishPage": "Remove it: nobody is hurried.",
    "valueName": "Ask once, and name that question in conditions.",
    "isAllRowRequired": 'Write "isRequired": true; of a matrix it means every row.',
    "questions": 'Write "elements".',
    "navigateToUrl": "Remove it: the page leads nowhere else.",
    "navigateToUrlOnCondition": "Remove it: the page leads nowhere else.",
}
"""By the property that is not known."""

TYPES: Final[dict[str, str]] = {
    "panel": "Put its elements on the page, and its visibleIf on each of them.",
    "html": "Put the words into the description of the page.",
    "expression": _COMPUTED,
    "file": "Nobody can send files; they tell who sent them.",
    "signaturepad": "Nobody can sign: a signature tells who signed. Use a box that must be ticked.",
    "imagepicker": "Use radiogroup, and image elements above it.",
    "matrixdropdown": "Use a matrix of single choices for each of its columns.",
    "matrixdynamic": "Use a question for each row that you expect, with a visibleIf.",
    "paneldynamic": "Use a page for each repetition that you expect, with a visibleIf.",
    "multipletext": "Use a text element for each of its items.",
    "tagbox": "Use checkbox.",
    "buttongroup": "Use radiogroup.",
    "slider": 'Use a rating, or text with "inputType": "number".',
    "flowpanel": "Put its elements on the page.",
}
"""By the type of element that is not known."""
