.mode box
VALUES ('the quick brown fox jumps over the lazy dog and goes on running through the woods until the night', 'short'), ('b', 'c');
VALUES ('exactly_sixty_characters_long_is_this_text_of_mine_0123456789');
VALUES ('äöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöü', 'tab	tab	tab	tab	tab	tab	tab	tab	tab	tab	tab');
.mode column --wrap 20
VALUES ('the quick brown fox jumps over the lazy dog and goes on running', 1), ('b', 2);
.mode
.mode table --wrap 20 --wordwrap on
VALUES ('the quick brown fox jumps over the lazy dog and goes on running', 1), ('b', 2);
VALUES ('onelongwordwithoutanyblanksinside,butacomma', 1), ('line
end and  two blanks', 2);
.mode markdown --ww
VALUES ('the quick brown fox jumps over the lazy dog and goes on running through the woods until the night', 'short'), ('b', 'c');
