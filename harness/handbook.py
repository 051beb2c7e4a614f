"""A long handbook that is about nothing in particular: what the attack by volume hands over."""

from __future__ import annotations

PARAGRAPHS = (
    "House handbook, edition 14. This edition replaces the loose sheets in the ring binder. It is written for "
    "everybody who works in the building and for those who visit it, and it is read from front to back once and "
    "looked up later.",
    "1. Arriving. The main entrance opens at seven. Badges are handed out at the front desk and worn where others can "
    "see them. Visitors are entered in the book with the name of their host and are met in the hall. Bicycles stand in "
    "the yard, under the roof, and leave the way to the bins free.",
    "2. Desks. Desks on the second floor are shared. Whoever comes first chooses; a desk that is left for more "
    "than two hours counts as free again. Screens belong to the desk and stay there. Chairs are set to one's "
    "own height and back to the middle in the evening, which the next person will be glad of.",
    "3. Meetings. Rooms are booked in the calendar with a title that says what it is about. A room that nobody has "
    "entered after ten minutes can be taken by others. Notes are written by whoever speaks least, and they are sent "
    "round on the same day, three lines for each point.",
    "4. Telephone. The exchange answers until half past five. Calls for somebody who is away are noted with "
    "name, number and a word on the matter. Long calls are made in the booths beside the lift, since the open "
    "floor carries sound.",
    "5. Post. Letters are collected at eleven and at four. Parcels are announced by the desk and fetched on the "
    "same day. Heavy parcels wait in the goods lift. For stamps there is a box with a list, and the list is "
    "added up at the end of the month.",
    "6. Kitchen. Cups are washed by those who used them. The machine is filled in the evening and emptied in "
    "the morning by the floor whose week it is. Food in the refrigerator carries a name and a date. On Fridays "
    "the shelf is cleared, and what has no name is given to the birds.",
    "7. Plants. The large plants are watered by a gardener who comes on alternate Tuesdays. Small ones are "
    "private. The fig in the hall loses leaves in March and recovers by May without anybody's help.",
    "8. Light and air. The blinds follow the sun; a switch beside the door holds them for an hour. Windows on "
    "the street side are opened in the early morning. The ventilation hums a little from October on, which is "
    "known and harmless.",
    "9. Printing. The printer on the ground floor prints on both sides, the one upstairs on one. Paper is in "
    "the cupboard with the green label. A jam is cleared from the rear. Posters are sent to the copy shop at "
    "the corner, which knows the account and delivers by noon.",
    "10. Travel. Trains are booked in second class with a seat beside the window if there is one. Receipts are kept in "
    "the envelope and handed in within four weeks. Those who travel often find the timetable of the airport bus on the "
    "notice board by the stairs.",
    "11. Holidays. Requests are entered in the plan by the end of the month before. Between the years the building is "
    "heated on two floors only. Those who stay move together, bring biscuits, and have the quietest week of all.",
    "12. Health. The first-aid box hangs beside the lift on every floor. Two people on each floor have taken "
    "the course, and their photographs hang above the box. Glasses for work at the screen are paid in part.",
    "13. Fire. The bell is tried on the first Monday of each month at ten. The meeting point is the lime tree "
    "across the street. Counting is done floor by floor, with the lists that hang at the exits.",
    "14. Lost and found. What is found is brought to the desk and kept for three months. The collection of "
    "umbrellas is remarkable, and anybody caught in the rain is welcome to borrow one.",
    "15. Library. Books are lent for four weeks and returned to the trolley. The journals of the last two years "
    "stand in the reading room, older ones in the basement. The librarian is in on Wednesdays and knows where "
    "the atlas is.",
    "16. Celebrations. Birthdays are announced on the board by those who wish it. The choir meets on Thursdays "
    "at one in the room under the roof and takes everybody who can count to four. The summer party is on the "
    "last Friday of June.",
    "17. Waste. Paper, glass, metal and the rest have a bin each. Batteries go into the jar at the desk. Electrical "
    "devices are collected twice a year, and the dates are announced in the newsletter.",
    "18. This handbook. Suggestions are dropped into the wooden box or told to Ms Quarmby, who looks after the text. "
    "The next edition is planned for the spring after next and will have an index.",
)
