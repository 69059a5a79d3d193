#### a default is given
import os
size = int(os.getenv('RANK_SIZE', '1'))
rank = int(os.getenv('RANK_ID', default='0'))
#### not read as a number
import os
table = os.getenv('RANK_ID')
if os.getenv('RANK_SIZE'):
    pass
#### must be set
import os
size = int(os.environ['RANK_SIZE'])
#### other variables
import os
port = int(os.getenv('PORT'))
#### a default beside it
import os
size = int(os.getenv('RANK_SIZE') or 1)
#### a variable that cannot be seen
import os
size = int(os.getenv(name))
#### somebody else's function
from settings import getenv
size = int(getenv('RANK_SIZE'))
#### arguments that cannot be seen
import os
size = int(os.getenv('RANK_SIZE', *rest))
